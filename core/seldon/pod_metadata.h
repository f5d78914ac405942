#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::seldon {

/// Labels or annotations in the making: what is set later wins.
class MetadataMap {
 public:
  explicit MetadataMap(Arena& arena) : arena_(arena) {}

  /// Every entry of `mapping`, which may be missing.
  void add(const yaml::Node& mapping);
  /// The same, but for what kubectl and Helm note there for themselves.
  /// Source: seldon-core v2 operator/pkg/utils/utils.go, MergeMaps.
  void add_without_bookkeeping(const yaml::Node& mapping);
  /// Nothing if `value` is missing.
  void set(std::string_view key, const yaml::Node& value);
  /// A value that is written nowhere, in the place of what gave rise to it.
  void set(std::string_view key, std::string_view value, const yaml::Node& like);
  /// The controller's own.
  void set_constant(std::string_view key, std::string_view value);

  const yaml::Node& result() const;

 private:
  void put(const yaml::Entry& entry);

  Arena& arena_;
  std::vector<yaml::Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

}  // namespace cnsched::seldon
