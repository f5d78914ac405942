#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/k8s/object.h"

namespace cnsched::k8s {

/// The settings in the ConfigMap of a controller (KServe's `inferenceservice-config`, Seldon Core
/// 1's `seldon-config`). Its values are JSON in strings. A path such as
/// "storageInitializer/cpuLimit" identifies a setting.
class ControllerConfig {
 public:
  /// Without a ConfigMap: `find_or` returns the shipped setting.
  ControllerConfig() = default;
  explicit ControllerConfig(const Object& config_map);

  /// Whether there is a ConfigMap. If so, settings that it omits are not set.
  bool is_known() const { return known_; }
  /// Whether there is a setting at or below the path.
  bool has(std::string_view path) const;
  /// The setting as a node made in `arena`, with the span of the ConfigMap's value; a missing node
  /// if it is not set.
  const yaml::Node& find(std::string_view path, Arena& arena) const;
  /// The same, with `shipped` without a ConfigMap.
  const yaml::Node& find_or(std::string_view path, std::string_view shipped, Arena& arena) const;
  /// The resources of the container that the settings cpuRequest, cpuLimit, memoryRequest and
  /// memoryLimit of a key describe, made like `like`. If one is not set, it is what all controllers
  /// ship: requests of 100m and 100Mi, limits of 1 and 1Gi [K32, K35, S62].
  const yaml::Node& resources(std::string_view key, const yaml::Node& like, Arena& arena) const;

  friend bool operator==(const ControllerConfig&, const ControllerConfig&) = default;

 private:
  struct Setting {
    std::string text;
    const yaml::Node* node = nullptr;  ///< the ConfigMap's value that contains it
    friend bool operator==(const Setting&, const Setting&) = default;
  };
  bool known_ = false;
  std::map<std::string, Setting, std::less<>> settings_;
};

}  // namespace cnsched::k8s
