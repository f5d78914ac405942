#pragma once

#include <string>
#include <vector>

#include "core/yaml/node.h"

namespace cnsched::k8s {

/// A place in an object that some controller makes pods from.
struct PodTemplate {
  std::string component;             ///< "predictor", "worker", …; empty where there is only one
  const yaml::Node* spec = nullptr;  ///< in the shape of a core PodSpec; its parts keep their spans
  const yaml::Node* written = nullptr;  ///< the mapping in the manifest where its fields stand
  bool fragment = false;  ///< no pod by itself: a runtime, a ServerConfig, merged into others' pods
};

}  // namespace cnsched::k8s
