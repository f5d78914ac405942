#pragma once

#include <string>

#include "core/k8s/pod_template.h"
#include "core/kserve/surroundings.h"

namespace cnsched::kserve {

/// What decides the labels and annotations of one pod of an InferenceService.
struct PodMetadata {
  const k8s::Object& object;
  std::string_view component;      ///< "predictor", "transformer", "explainer"
  const yaml::Node& written;       ///< the component, with its own labels and annotations
  const yaml::Node& runtime_spec;  ///< with the runtime's; may be missing
  std::string name;                ///< of the Deployment or Knative Service
  DeploymentMode mode;
  bool multi_node = false;
};

/// Sets name, labels and annotations of the pod. Of equal keys the component's win over the
/// object's, and those over the runtime's; KServe's own cannot be changed. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/components/*.go, buildObjectMeta.
void set_metadata(k8s::PodTemplate& pod, const PodMetadata& metadata, Arena& arena);

}  // namespace cnsched::kserve
