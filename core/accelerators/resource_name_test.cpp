#include "core/accelerators/resource_name.h"
#include "testdata/support.h"

namespace cnsched::accelerators::resource_name_test {

std::string instead_of(std::string_view name) {
  const auto problem = resource_name_problem(name);
  return problem ? problem->replacement : "right";
}

TEST_CASE("suggests the advertised name for a misspelling") {
  CHECK(instead_of("nvidia.com/gpus") == "nvidia.com/gpu");
  CHECK(instead_of("nvidia/gpu") == "nvidia.com/gpu");
  CHECK(instead_of("intel.com/gpu") == "gpu.intel.com/i915");
  CHECK(resource_name_problem("intel.com/gpu")->is_guess);
  CHECK(instead_of("google.com/tpus") == "google.com/tpu");
  CHECK(instead_of("nvidia.com/mig-1g.5g") == "nvidia.com/mig-1g.5gb");
  CHECK(instead_of("nvidia.com/mig-3g.10gb") == "");
}

TEST_CASE("accepts real and unknown names") {
  for (const char* name :
       {"cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "nvidia.com/gpu", "nvidia.com/vgpu",
        "nvidia.com/gpumem-percentage", "nvidia.com/mig-1g.5gb.me", "nvidia.com/mig-1g.8gb",
        "nvidia.com/a100", "example.com/gpu", "habana.ai/gaudi2", "huawei.com/Ascend910B3",
        "gpu.intel.com/i915_monitoring", "deviceclass.resource.kubernetes.io/x", "${GPU}"}) {
    INFO(name);
    CHECK_FALSE(resource_name_problem(name));
  }
}

TEST_CASE("distinguishes names that the API server rejects from names that no node offers") {
  for (const char* name : {"gpu", "nvidia.com.gpu", "requests.nvidia.com/gpu",
                           "nvidia.com/mig-1g.5gb+me", "Memory", "a/b/c", ""}) {
    INFO(name);
    const auto problem = resource_name_problem(name);
    REQUIRE(problem);
    CHECK(problem->rejected);
  }
  CHECK_FALSE(resource_name_problem("nvidia.com/GPU")->rejected);
  CHECK(instead_of("nvidia.com/mig-1g.5gb+me") == "nvidia.com/mig-1g.5gb.me");
  CHECK(instead_of("Memory") == "memory");
  CHECK(instead_of("npu") == "");
}

TEST_CASE("a request is unobtainable by a wrong name, or at the level of the pod") {
  const auto is_unobtainable = [](const char* text) {
    const Parsed pod(text);
    return requests_unobtainable(k8s::PodSpec(pod.root()));
  };
  CHECK(is_unobtainable("containers: [{resources: {limits: {gpu: 1}}}]"));
  CHECK(is_unobtainable("resources: {limits: {nvidia.com/gpu: 1}}"));
  CHECK_FALSE(is_unobtainable("resources: {limits: {nvidia.com/gpu: 0, cpu: 1}}"));
  CHECK_FALSE(is_unobtainable("containers: [{resources: {limits: {mem: 1Gi}}}]"));
  CHECK_FALSE(is_unobtainable("containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]"));
}

}  // namespace cnsched::accelerators::resource_name_test
