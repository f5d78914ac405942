#pragma once

#include <string_view>

#include "core/workspace/workload.h"

namespace cnsched::rules {

/// What the API server rejects if the resources of a pod are invalid: the pod, or the object with
/// its template.
inline std::string_view rejection_of(const Workload& workload) {
  using kserve::DeploymentMode;
  const std::string_view kind = workload.object->kind;
  if (kind == "Server" || kind == "StatefulSet") {
    return "the API server rejects the StatefulSet, or before Kubernetes 1.34 each of its pods";
  }
  if (kind == "Deployment" || kind == "SeldonDeployment") {
    return "the API server rejects the Deployment";
  }
  if (kind != "InferenceService") return "the API server rejects the pod";
  switch (workload.mode.mode) {
    case DeploymentMode::knative:
      return "the API server rejects the pod, and Knative's Revision fails";
    case DeploymentMode::standard:
      return "the API server rejects the Deployment that KServe creates";
    default:
      return "the API server rejects the pod";
  }
}

}  // namespace cnsched::rules
