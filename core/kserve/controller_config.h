#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/k8s/object.h"

namespace cnsched::kserve {

/// The settings in the ConfigMap `inferenceservice-config`. Its values are JSON in strings. A path
/// such as "storageInitializer/cpuLimit" identifies a setting.
class ControllerConfig {
 public:
  /// Without a ConfigMap: `find_or` returns KServe's shipped settings.
  ControllerConfig() = default;
  explicit ControllerConfig(const k8s::Object& config_map);

  /// Whether there is a ConfigMap. If so, settings that it omits are not set.
  bool is_known() const { return known_; }
  /// The setting as a node made in `arena`, with the span of the ConfigMap's value; a missing node
  /// if it is not set.
  const yaml::Node& find(std::string_view path, Arena& arena) const;
  /// The same, with `shipped` without a ConfigMap.
  const yaml::Node& find_or(std::string_view path, std::string_view shipped, Arena& arena) const;

 private:
  struct Setting {
    std::string text;
    const yaml::Node* node = nullptr;  ///< the ConfigMap's value that contains it
  };
  bool known_ = false;
  std::map<std::string, Setting, std::less<>> settings_;
};

}  // namespace cnsched::kserve
