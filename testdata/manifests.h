#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

// Documents of manifests, each of which begins with "---". Most arguments are YAML: entries of a
// mapping, without its braces.
namespace cnsched::test {

/// An object of a kind that KServe, Seldon, Karpenter or Kubernetes defines, in its newest version.
/// `spec` is a whole value.
std::string manifest(std::string_view kind, std::string_view metadata, std::string_view spec);
/// An object of any kind, with its fields besides apiVersion, kind and metadata.
std::string object(std::string_view api_version, std::string_view kind, std::string_view name,
                   std::string_view fields, std::string_view metadata = "");

/// A Node with these labels.
inline std::string node(std::string_view name, std::string_view labels = "",
                        std::string_view spec = "",
                        std::string_view allocatable = "cpu: 4, memory: 8Gi, pods: 10") {
  return object("v1", "Node", name,
                fmt::format("spec: {{{}}}, status: {{allocatable: {{{}}}}}", spec, allocatable),
                fmt::format("labels: {{{}}}", labels));
}
/// A Karpenter NodePool, whose nodes do not exist yet.
inline std::string node_pool(std::string_view name, std::string_view labels = "") {
  return manifest("NodePool", fmt::format("name: {}", name),
                  fmt::format("{{template: {{metadata: {{labels: {{{}}}}}}}}}", labels));
}
/// A Pod to schedule, in namespace ml.
inline std::string pod(std::string_view spec, std::string_view labels = "",
                       std::string_view ns = "ml") {
  return object("v1", "Pod", "new", fmt::format("spec: {{{}}}", spec),
                fmt::format("namespace: '{}', labels: {{{}}}", ns, labels));
}
/// The same with this one container.
inline std::string pod_with(std::string_view container) {
  return pod(fmt::format("containers: [{{name: c, image: i, {}}}]", container));
}
/// A Pod that runs on a node.
inline std::string running_pod(std::string_view name, std::string_view on,
                               std::string_view labels = "", std::string_view spec = "",
                               std::string_view ns = "ml", std::string_view metadata = "") {
  return object(
      "v1", "Pod", name,
      fmt::format("spec: {{nodeName: {}, containers: []{}{}}}, status: {{phase: Running}}", on,
                  spec.empty() ? "" : ", ", spec),
      fmt::format("namespace: '{}', labels: {{{}}}{}{}", ns, labels, metadata.empty() ? "" : ", ",
                  metadata));
}
/// A Deployment in namespace ml, with this pod spec and these labels of its pods.
inline std::string deployment(std::string_view name, std::string_view spec,
                              std::string_view labels = "") {
  return manifest(
      "Deployment", fmt::format("name: {}, namespace: ml", name),
      fmt::format("{{template: {{metadata: {{labels: {{{}}}}}, spec: {{{}}}}}}}", labels, spec));
}

inline std::string inference_service(std::string_view predictor,
                                     std::string_view metadata = "name: a, namespace: ml") {
  return manifest("InferenceService", metadata, fmt::format("{{predictor: {{{}}}}}", predictor));
}
/// An LLMInferenceService "llama" in namespace ml.
inline std::string llm_service(std::string_view spec, std::string_view metadata = "") {
  return manifest("LLMInferenceService", fmt::format("name: llama, namespace: ml{}", metadata),
                  spec);
}
inline std::string llm_config(std::string_view name, std::string_view spec,
                              std::string_view ns = "kserve") {
  return manifest("LLMInferenceServiceConfig", fmt::format("name: {}, namespace: {}", name, ns),
                  spec);
}

}  // namespace cnsched::test
