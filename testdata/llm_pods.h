#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "testdata/support.h"

namespace cnsched::test {

/// An LLMInferenceService called "llama" in the namespace "ml".
inline std::string llm_service(const std::string& spec, const std::string& metadata = "") {
  return fmt::format(
      "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\n"
      "metadata: {{name: llama, namespace: ml{}}}\nspec: {}\n---\n",
      metadata, spec);
}

/// An LLMInferenceServiceConfig.
inline std::string llm_config(const std::string& name, const std::string& spec,
                              const std::string& ns = "kserve") {
  return fmt::format(
      "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceServiceConfig\n"
      "metadata: {{name: {}, namespace: {}}}\nspec: {}\n---\n",
      name, ns, spec);
}

/// The pods of the service in a manifest.
class LlmPods {
 public:
  explicit LlmPods(const std::string& text) : workspace_(test::workspace_of({{"in.yaml", text}})) {}

  const Workload& of(std::string_view component) const {
    for (const Workload& pod : test::scope_of(*workspace_).workloads()) {
      if (pod.object->kind == "LLMInferenceService" && pod.component == component) return pod;
    }
    FAIL("no pod is called " << std::string(component));
    return test::scope_of(*workspace_).workloads().front();
  }
  /// The components and how many pods each has.
  std::string summary() const {
    std::string text;
    for (const Workload& pod : test::scope_of(*workspace_).workloads()) {
      if (pod.object->kind != "LLMInferenceService") continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", pod.component, *pod.replicas);
    }
    return text;
  }
  /// What is unknown of a pod, named ones with a '!'.
  std::string unknown(std::string_view component) const {
    std::string text;
    for (const k8s::Unknown& each : of(component).unknown) {
      text += (text.empty() ? "" : ", ") + each.what +
              (each.kind == k8s::Unknown::Kind::named ? "!" : "");
    }
    return text;
  }

 private:
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace cnsched::test
