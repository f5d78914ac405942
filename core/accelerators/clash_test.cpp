#include "core/accelerators/clash.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "testdata/support.h"

namespace cnsched::accelerators {

namespace {

/// The clash in a pod as "one label / other label". Quoted labels and all expressions are the one
/// author's, plain labels the other's.
std::string clash(const std::string& selector, const std::string& terms = "[]") {
  const test::Parsed pod(fmt::format(
      "{{nodeSelector: {}, affinity: {{nodeAffinity: "
      "{{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {}}}}}}}}}",
      selector, terms));
  const auto written_by = [](const yaml::Node& node) -> std::size_t {
    return node.is_mapping() || node.quoted ? 1 : 0;
  };
  const auto found = clash_between_sides(k8s::PodSpec(pod.root()), written_by);
  if (!found) return "";
  const std::string pair =
      fmt::format("{} / {}", found->label.requirement.key, found->other.requirement.key);
  if (!found->difference) return pair;
  const Difference& difference = *found->difference;
  return fmt::format("{}: {} {} or {}", pair, name_of(difference.trait), difference.label,
                     difference.other);
}

}  // namespace

TEST_CASE("labels of two authors clash if they tell of different cards") {
  CHECK(
      clash("{cloud.google.com/gke-accelerator: nvidia-l4, nvidia.com/gpu.product: 'Tesla-T4'}") ==
      "cloud.google.com/gke-accelerator / nvidia.com/gpu.product: card L4 or T4");
  CHECK(clash("{cloud.google.com/gke-accelerator: nvidia-l4, nvidia.com/gpu.product: 'NVIDIA-L4'}")
            .empty());
}

TEST_CASE("labels of two authors clash if they tell of different vendors or memories") {
  CHECK(clash("{nvidia.com/gpu.present: a, amd.com/gpu.family: 'AI'}") ==
        "nvidia.com/gpu.present / amd.com/gpu.family: vendor NVIDIA or AMD");
  CHECK(clash("{cloud.google.com/gke-accelerator: nvidia-a100-80gb, "
              "nvidia.com/gpu.product: 'NVIDIA-A100-SXM4-40GB'}") ==
        "cloud.google.com/gke-accelerator / nvidia.com/gpu.product: "
        "card A100 with 80 GB or A100 with 40 GB");
  CHECK(clash("{nvidia.com/gpu.present: a, intel.feature.node.kubernetes.io/gpu: 'true'}").empty());
}

TEST_CASE("an expression clashes if none of its values tells the same") {
  const auto product = [](const std::string& values) {
    return "[{matchExpressions: [{key: nvidia.com/gpu.product, operator: In, values: " + values +
           "}]}]";
  };
  const char* gke = "{cloud.google.com/gke-accelerator: nvidia-l4}";
  CHECK(clash(gke, product("[Tesla-T4, NVIDIA-A10]")) ==
        "cloud.google.com/gke-accelerator / nvidia.com/gpu.product: card L4 or T4 or A10");
  CHECK(clash(gke, product("[Tesla-T4, NVIDIA-L4]")).empty());
  CHECK(clash(gke, product("[Tesla-T4, my-own-card]")).empty());
}

TEST_CASE("what one author contradicts alone is not told") {
  CHECK(clash("{cloud.google.com/gke-accelerator: nvidia-l4, nvidia.com/gpu.product: Tesla-T4}")
            .empty());
}

TEST_CASE("of two equal labels the one by the other author is found") {
  CHECK(clash("{eks.amazonaws.com/nodegroup: 'a', karpenter.k8s.aws/instance-family: g5, "
              "cloud.google.com/gke-nodepool: 'b'}") ==
        "karpenter.k8s.aws/instance-family / cloud.google.com/gke-nodepool: cloud provider EKS or "
        "GKE");
}

TEST_CASE("a selector clashes with the affinity only if it does so with every term") {
  const char* other = "{matchExpressions: [{key: pool, operator: In, values: [b]}]}";
  const char* same = "{matchExpressions: [{key: pool, operator: In, values: [a]}]}";
  const char* field = "{matchFields: [{key: metadata.name, operator: In, values: [n]}]}";
  CHECK(clash("{pool: a}", fmt::format("[{}]", other)) == "pool / pool");
  CHECK(clash("{pool: a}", fmt::format("[{0}, {0}]", other)) == "pool / pool");
  CHECK(clash("{pool: a}", fmt::format("[{}, {}]", other, same)).empty());
  CHECK(clash("{pool: a}", fmt::format("[{}, {}]", other, field)).empty());
  CHECK(clash("{pool: a}", fmt::format("[{}, {{}}]", other)) == "pool / pool");
  CHECK(clash("{pool: a}", "[{}]").empty());
}

TEST_CASE("a deprecated label clashes with its successor") {
  CHECK(clash("{beta.kubernetes.io/arch: amd64, kubernetes.io/arch: 'arm64'}") ==
        "beta.kubernetes.io/arch / kubernetes.io/arch");
}

}  // namespace cnsched::accelerators
