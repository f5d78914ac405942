#pragma once

#include <string>

#include "core/workloads/workspace.h"

namespace cnsched::cli {

/// An effective pod to be shown.
struct ShownPod {
  const Workload& workload;
  const yaml::Node* object = nullptr;  ///< the v1/Pod (core/k8s/pod_object.h); null: never created
};

/// "InferenceService 'llama', predictor (svc.yaml:1)".
std::string described(const Workload& workload, const Workspace& workspace);

/// A YAML document, from its `---` on: which object the pod is of, what is unknown, and the Pod;
/// `with_origin` tells behind each scheduling value where it is written.
std::string yaml_document(const ShownPod& pod, const Workspace& workspace, bool with_origin);

/// An element of the JSON output's `pods`, indented by `indent`.
std::string json_element(Arena& arena, const ShownPod& pod, const Workspace& workspace,
                         std::size_t indent);

}  // namespace cnsched::cli
