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

namespace cnsched::accelerators::device_request_test {

std::string requested(const char* text) {
  const Parsed pod(text);
  std::string all;
  for (const DeviceRequest& device : device_requests(k8s::PodSpec(pod.root()))) {
    all += fmt::format("{} {};", device.name, device.amount);
  }
  return all;
}

bool has_access(const std::string& container) {
  const Parsed parsed(container);
  return has_device_access({&parsed.root()});
}

TEST_CASE("adds up containers and sidecars, and takes the maximum with init containers") {
  CHECK(requested(R"(
initContainers:
- resources: {limits: {nvidia.com/gpu: 4}}
- {restartPolicy: Always, resources: {limits: {nvidia.com/gpu: 1}}}
containers:
- resources: {limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 2, amd.com/gpu: 1}}
)") == "nvidia.com/gpu 4;amd.com/gpu 1;");
  // An init container runs beside the sidecars before it.
  CHECK(requested(R"(
initContainers:
- {restartPolicy: Always, resources: {limits: {nvidia.com/gpu: 1}}}
- resources: {limits: {nvidia.com/gpu: 2}}
containers:
- resources: {limits: {nvidia.com/gpu: 1}}
)") == "nvidia.com/gpu 3;");
  CHECK(requested("containers: [{resources: {limits: {nvidia.com/gpu: 1}}}, {resources: {limits: "
                  "{nvidia.com/gpu: 2}}}]") == "nvidia.com/gpu 3;");
}

TEST_CASE("ignores an amount of zero, and counts one that cannot be read as unknown") {
  CHECK(requested("containers: [{resources: {limits: {nvidia.com/gpu: '0', cpu: 1}}}]") == "");
  CHECK(requested("containers: [{resources: {limits: {nvidia.com/gpu: '${N}'}}}]") ==
        "nvidia.com/gpu 0;");
  CHECK(
      requested("containers: [{resources: {limits: {nvidia.com/gpu: '99999999999999999999'}}}]") ==
      "nvidia.com/gpu 1000000;");
}

TEST_CASE("a container has access to a device by a resource, a claim or NVIDIA's variable") {
  CHECK(has_access("resources: {limits: {nvidia.com/gpu: 1}}"));
  CHECK(has_access("resources: {claims: [{name: gpu}]}"));
  CHECK(has_access("env: [{name: A, value: b}, {name: NVIDIA_VISIBLE_DEVICES, value: all}]"));
  CHECK_FALSE(has_access("resources: {limits: {cpu: 1, nvidia.com/gpu: 0}, claims: []}"));
  CHECK_FALSE(has_access("env: [{name: CUDA_VISIBLE_DEVICES, value: '0'}]"));
}

TEST_CASE("only the variable makes devices visible without a request") {
  const Parsed requested("resources: {limits: {nvidia.com/gpu: 1}}");
  CHECK_FALSE(sees_devices_without_request({&requested.root()}));
  const Parsed not_requested("env: [{name: NVIDIA_VISIBLE_DEVICES}]");
  CHECK(sees_devices_without_request({&not_requested.root()}));
}

TEST_CASE("finds the first accelerator with a definite positive amount") {
  const auto name = [](const std::string& text) {
    const Parsed parsed("resources: {" + text + "}");
    const yaml::Node* amount = first_accelerator_amount({&parsed.root()});
    return amount == nullptr ? std::string() : std::string(amount->key()->text());
  };
  CHECK(name("limits: {cpu: 1, nvidia.com/gpu: 2}") == "nvidia.com/gpu");
  CHECK(name("requests: {amd.com/gpu: '1'}") == "amd.com/gpu");
  CHECK(name("limits: {nvidia.com/gpu: 0, rdma/ib: 1}") == "");
  CHECK(name("limits: {nvidia.com/gpu: '${GPUS}'}") == "");
}

}  // namespace cnsched::accelerators::device_request_test
