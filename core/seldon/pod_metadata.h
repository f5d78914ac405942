#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/yaml/overlay.h"

namespace cnsched::seldon {

/// Labels or annotations in the making: what is set later wins.
class MetadataMap {
 public:
  explicit MetadataMap(Arena& arena) : arena_(arena), all_(arena) {}

  /// Every entry of `mapping`, which may be missing.
  void add(const yaml::Node& mapping) { all_.add_all(mapping); }
  /// The same, but for what kubectl and Helm note there for themselves.
  /// Source: seldon-core v2 operator/pkg/utils/utils.go, MergeMaps.
  void add_without_bookkeeping(const yaml::Node& mapping);
  /// Nothing if `value` is missing.
  void set(yaml::Key key, const yaml::Node& value);
  /// A value that is written nowhere, in the place of what gave rise to it.
  void set(yaml::Key key, std::string_view value, const yaml::Node& like);
  /// The controller's own.
  void set_constant(yaml::Key key, std::string_view value);

  /// A missing node if there is nothing.
  const yaml::Node& result() const { return all_.mapping(yaml::nowhere()); }

 private:
  Arena& arena_;
  yaml::Overlay all_;
};

}  // namespace cnsched::seldon
