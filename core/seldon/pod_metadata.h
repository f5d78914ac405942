#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/yaml/overlay.h"

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

}  // namespace cnsched::seldon
