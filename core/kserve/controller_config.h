#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/k8s/object.h"

namespace cnsched::kserve {

/// What the ConfigMap `inferenceservice-config` sets. Its values are JSON in strings; a setting is
/// named by its path, "storageInitializer/cpuLimit".
class ControllerConfig {
 public:
  /// Without a ConfigMap: KServe's shipped settings are assumed.
  ControllerConfig() = default;
  explicit ControllerConfig(const k8s::Object& config_map);

  /// Whether there is a ConfigMap. Then what it omits is not set.
  bool is_known() const { return known_; }
  /// The setting as a node made in `arena`, with the span of the ConfigMap's value; a missing node
  /// if it is not set.
  const yaml::Node& find(std::string_view path, Arena& arena) const;
  /// The same, with `shipped` without a ConfigMap.
  const yaml::Node& find_or(std::string_view path, std::string_view shipped, Arena& arena) const;

 private:
  struct Setting {
    std::string text;
    const yaml::Node* said = nullptr;  ///< the ConfigMap's value that holds it
  };
  bool known_ = false;
  std::map<std::string, Setting, std::less<>> settings_;
};

}  // namespace cnsched::kserve
