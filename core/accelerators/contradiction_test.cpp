#include "core/accelerators/contradiction.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "testdata/support.h"

namespace cnsched::accelerators {

namespace {

/// What contradicts itself in a pod, as "key / key; key / key", and whether nothing is left.
std::string contradictions(const std::string& selector, const std::string& terms = "[]",
                           About about = About::labels) {
  const test::Parsed pod(fmt::format(
      "{{nodeSelector: {}, affinity: {{nodeAffinity: "
      "{{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {}}}}}}}}}",
      selector, terms));
  const Contradictions all = contradictions_in(k8s::PodSpec(pod.root()), about);
  std::string text;
  for (const Contradiction& one : all.found) {
    text += text.empty() ? "" : "; ";
    for (const k8s::Requirement& r : one.demands) {
      text += fmt::format("{}{}", &r == one.demands.data() ? "" : " / ", r.key);
    }
    if (one.difference) {
      text += fmt::format(" ({} or {})", one.difference->label, one.difference->other);
    }
  }
  return text + (all.leaves_nothing ? ": never" : "");
}

}  // namespace

TEST_CASE("a term has to hold beside the selector") {
  const char* other = "{matchExpressions: [{key: pool, operator: In, values: [b]}]}";
  const char* same = "{matchExpressions: [{key: pool, operator: In, values: [a]}]}";
  CHECK(contradictions("{pool: a}", fmt::format("[{}]", other)) == "pool / pool: never");
  CHECK(contradictions("{pool: a}", fmt::format("[{}, {}]", other, same)) == "pool / pool");
  CHECK(contradictions("{pool: a}", fmt::format("[{}, {{}}]", other)) == "pool / pool: never");
  CHECK(contradictions("{pool: a}", fmt::format("[{}]", same)).empty());
  CHECK(contradictions("{pool: a}", "[{}]").empty());
}

TEST_CASE("labels of one author contradict each other by the card or vendor that they tell") {
  CHECK(contradictions("{cloud.google.com/gke-accelerator: nvidia-l4, "
                       "nvidia.com/gpu.product: Tesla-T4}") ==
        "cloud.google.com/gke-accelerator / nvidia.com/gpu.product (L4 or T4): never");
  CHECK(contradictions("{nvidia.com/gpu.present: 'true', amd.com/gpu.family: AI}") ==
        "nvidia.com/gpu.present / amd.com/gpu.family (NVIDIA or AMD): never");
  CHECK(contradictions("{cloud.google.com/gke-accelerator: nvidia-l4, "
                       "nvidia.com/gpu.product: NVIDIA-L4}")
            .empty());
  CHECK(contradictions("{nvidia.com/gpu.product: Tesla-T4}",
                       "[{matchExpressions: [{key: gpu.nvidia.com/class, operator: In, values: "
                       "[A40, RTX_A6000]}]}]") ==
        "nvidia.com/gpu.product / gpu.nvidia.com/class (T4 or A40 or A6000): never");
}

TEST_CASE("labels of two clouds are a matter of their own") {
  const char* both =
      "{cloud.google.com/gke-accelerator: nvidia-l4, karpenter.k8s.aws/instance-gpu-name: t4}";
  CHECK(contradictions(both).empty());
  CHECK(contradictions(both, "[]", About::clouds) ==
        "cloud.google.com/gke-accelerator / karpenter.k8s.aws/instance-gpu-name (GKE or EKS): "
        "never");
  CHECK(contradictions("{pool: a, beta.kubernetes.io/arch: amd64, kubernetes.io/arch: arm64}", "[]",
                       About::clouds)
            .empty());
  CHECK(
      contradictions("{}",
                     "[{matchExpressions: [{key: eks.amazonaws.com/nodegroup, operator: Exists}]},"
                     " {matchExpressions: [{key: kubernetes.azure.com/agentpool, operator: "
                     "Exists}]}]",
                     About::clouds)
          .empty());
}

TEST_CASE("a node has one name") {
  CHECK(contradictions("{}",
                       "[{matchFields: [{key: metadata.name, operator: In, values: [a]}, "
                       "{key: metadata.name, operator: In, values: [b]}]}]") ==
        "metadata.name / metadata.name: never");
  // A label may be called like the field.
  CHECK(contradictions("{metadata.name: a}",
                       "[{matchFields: [{key: metadata.name, operator: In, values: [b]}]}]")
            .empty());
}

TEST_CASE("lists that are endlessly wide are not judged") {
  std::string values;
  for (int i = 0; i < 1000; ++i) values += "b,";
  std::string expressions;
  for (int i = 0; i < 400; ++i) {
    expressions += i == 0 ? "&e {key: pool, operator: In, values: [" + values + "]}," : "*e,";
  }
  CHECK(contradictions("{pool: a}", "[{matchExpressions: [" + expressions + "]}]").empty());
}

}  // namespace cnsched::accelerators
