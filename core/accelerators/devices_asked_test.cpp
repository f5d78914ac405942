#include "core/accelerators/devices_asked.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "testdata/support.h"

namespace cnsched::accelerators {

namespace {

std::string asked(const char* text) {
  const test::Parsed pod(text);
  std::string all;
  for (const AskedDevice& device : devices_asked_by(k8s::PodSpec(pod.root()))) {
    all += fmt::format("{} {};", device.name, device.amount);
  }
  return all;
}

}  // namespace

TEST_CASE("containers and sidecars add up, and init containers set a floor") {
  CHECK(asked(R"(
initContainers:
- resources: {limits: {nvidia.com/gpu: 4}}
- {restartPolicy: Always, resources: {limits: {nvidia.com/gpu: 1}}}
containers:
- resources: {limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 2, amd.com/gpu: 1}}
)") == "nvidia.com/gpu 4;amd.com/gpu 1;");
  CHECK(asked("containers: [{resources: {limits: {nvidia.com/gpu: 1}}}, {resources: {limits: "
              "{nvidia.com/gpu: 2}}}]") == "nvidia.com/gpu 3;");
}

TEST_CASE("zero asks for none, and what cannot be read for something") {
  CHECK(asked("containers: [{resources: {limits: {nvidia.com/gpu: '0', cpu: 1}}}]") == "");
  CHECK(asked("containers: [{resources: {limits: {nvidia.com/gpu: '${N}'}}}]") ==
        "nvidia.com/gpu 0;");
  CHECK(asked("containers: [{resources: {limits: {nvidia.com/gpu: '99999999999999999999'}}}]") ==
        "nvidia.com/gpu 1000000;");
}

}  // namespace cnsched::accelerators
