#include "core/k8s/pod_resources.h"
#include "testdata/support.h"

namespace cnsched::k8s::pod_resources_test {

TEST_CASE("pod-level resources allow cpu, memory and huge pages only") {
  const Parsed pod(R"(
resources:
  requests: {cpu: 1, nvidia.com/gpu: 1, ephemeral-storage: 1Gi}
  limits: {memory: 1Gi, hugepages-2Mi: 4Mi, nvidia.com/gpu: "0"}
containers:
- resources:
    limits: {amd.com/gpu: 1}
)");
  const auto rejected = rejected_at_pod_level(PodSpec(pod.root()));
  REQUIRE(rejected.size() == 3);
  CHECK(rejected[0].name == "nvidia.com/gpu");
  CHECK(rejected[0].node->text() == "0");
  CHECK(rejected[1].name == "nvidia.com/gpu");
  CHECK(rejected[2].name == "ephemeral-storage");
}

TEST_CASE("ignores resources that are not a mapping") {
  for (const char* text : {"resources: 1", "resources: [limits]", "resources: {limits: [a]}"}) {
    const Parsed pod(text);
    CHECK(rejected_at_pod_level(PodSpec(pod.root())).empty());
  }
}

}  // namespace cnsched::k8s::pod_resources_test
