#pragma once

#include <string>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/pod_spec.h"
#include "core/kserve/deployment_mode.h"

namespace cnsched {

/// One pod that some controller will create, or a part of one that others build on.
struct Workload {
  const k8s::Object* object = nullptr;  ///< the manifest that asks for it
  std::string component;  ///< "predictor", "worker", …; empty where there is only one
  k8s::PodSpec pod;       ///< its values know where they are written (yaml::Node::span)
  const yaml::Node* written = nullptr;  ///< the mapping where the pod's own fields stand
  bool fragment = false;  ///< a runtime, ServerConfig, … alone: merged into the pods of others

  /// Only for what KServe runs either way; otherwise `standard`.
  kserve::ModeOf mode{kserve::DeploymentMode::standard, nullptr};

  /// Pod specs of other objects of the run that the controller merges beneath this one.
  std::vector<k8s::PodSpec> inherited{};
  /// What the pod also depends on and the run does not hold: "ServingRuntime 'vllm'".
  std::vector<std::string> unknown{};

  /// The pod of a model server, or of what belongs to one.
  bool is_serving() const;
  /// Whether the pod, or what it inherits from, asks for an extended resource that `matches`.
  template <typename Matches>
  bool wants(Matches matches) const {
    if (pod.wants(matches)) return true;
    for (const k8s::PodSpec& base : inherited) {
      if (base.wants(matches)) return true;
    }
    return false;
  }
  /// Whether the pod, or what it inherits from, is tied to certain nodes or claims a device.
  bool is_led_somewhere() const;
  /// Advice on placement is for model servers, and for pods that ask for, select or tolerate an
  /// accelerator; others are none of our business.
  bool takes_placement_advice() const;
};

}  // namespace cnsched
