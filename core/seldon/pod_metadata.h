#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/merge_keys.h"
#include "core/yaml/node.h"

namespace cnsched::seldon {

/// Builds labels or annotations: later values win.
class MetadataMap {
 public:
  explicit MetadataMap(Arena& arena) : arena_(arena), all_(arena) {}

  /// Every entry of `mapping`, which may be missing.
  void add(const yaml::Node& mapping) { all_.add_all(mapping); }
  /// The same without the annotations that kubectl and Helm add for themselves [S34]. Source:
  /// seldon-core v2 operator/pkg/utils/utils.go, MergeMaps.
  void add_without_bookkeeping(const yaml::Node& mapping);
  /// Does nothing if `value` is missing.
  void set(yaml::Key key, const yaml::Node& value);
  /// A value that is not in a manifest, with the span of `like`, its cause.
  void set(yaml::Key key, std::string_view value, const yaml::Node& like);
  /// A value that the controller sets.
  void set_constant(yaml::Key key, std::string_view value);

  /// A missing node if there are no entries.
  const yaml::Node& result() const { return all_.mapping(yaml::nowhere()); }

 private:
  Arena& arena_;
  yaml::Overlay all_;
};

/// The name of a list item in messages: `label` and its name, or its index if it has none.
std::string item_name(std::string_view label, const yaml::Node& item, std::size_t index);

/// The main container of a ServerConfig or of a SeldonConfig's component: the only one that is not
/// one of Seldon's helpers. Empty if there is not exactly one.
std::string_view main_container(const std::vector<std::string_view>& containers);

/// The probably intended container for an unknown name: one whose name differs in case or
/// separators; or the model server, for its name in other systems or the name of the ServerConfig
/// or component, `config`. Empty if there is none.
std::string_view intended_container(std::string_view name, std::string_view config,
                                    const std::vector<std::string_view>& containers);

}  // namespace cnsched::seldon
