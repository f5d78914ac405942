#pragma once

#include "testdata/support.h"

namespace cnsched::test {

/// The pods of the service in a manifest.
class LlmPods {
 public:
  explicit LlmPods(const std::string& text, facts::StatedReleases releases = {})
      : workspace_(workspace_of({{"in.yaml", text}}, std::move(releases))) {}

  const Workload& of(std::string_view component) const {
    for (const Workload& pod : scope_of(*workspace_).workloads()) {
      if (pod.object->kind == "LLMInferenceService" && pod.component == component) return pod;
    }
    FAIL("no pod is called " << std::string(component));
    return scope_of(*workspace_).workloads().front();
  }
  /// The components and how many pods each has.
  std::string summary() const {
    std::string text;
    for (const Workload& pod : scope_of(*workspace_).workloads()) {
      if (pod.object->kind != "LLMInferenceService") continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", pod.component, *pod.replicas);
    }
    return text;
  }
  /// What is unknown of a pod, named ones with a '!'.
  std::string unknown(std::string_view component) const {
    return joined(
        of(component).unknown,
        [](const k8s::Unknown& each) {
          return each.what + (each.kind == k8s::Unknown::Kind::named ? "!" : "");
        },
        ", ");
  }

 private:
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace cnsched::test
