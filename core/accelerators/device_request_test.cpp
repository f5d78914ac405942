#include "core/accelerators/device_request.h"
#include "testdata/support.h"

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
