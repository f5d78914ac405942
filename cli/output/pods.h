#pragma once

#include <string>

#include "core/workspace/cluster_scope.h"

namespace cnsched::cli {

/// An effective pod and the v1/Pod to print.
struct ShownPod {
  const Workload& workload;
  const yaml::Node* object = nullptr;  ///< the v1/Pod (core/k8s/workloads.h); null: never created
};

/// "InferenceService 'llama', predictor (svc.yaml:1)"; with the name of the cluster if there are
/// several.
std::string described(const Workload& workload, const Workspace& workspace);

/// A YAML document with its `---`: comments with the object and what is unknown, then the Pod;
/// `with_origin` adds the line of each scheduling value as a comment.
std::string yaml_document(const ShownPod& pod, const Workspace& workspace, bool with_origin);

/// An element of `pods` in the JSON output, indented by `indent`.
std::string json_element(Arena& arena, const ShownPod& pod, const Workspace& workspace,
                         std::size_t indent);

}  // namespace cnsched::cli
