#include "core/accelerators/device_access.h"

#include <doctest/doctest.h>

#include <string>

#include "testdata/support.h"

namespace cnsched::accelerators {

namespace {

bool reaches(const std::string& container) {
  const test::Parsed parsed(container);
  return reaches_device({&parsed.root()});
}

}  // namespace

TEST_CASE("a container gets at a device by a resource, a claim or NVIDIA's variable") {
  CHECK(reaches("resources: {limits: {nvidia.com/gpu: 1}}"));
  CHECK(reaches("resources: {claims: [{name: gpu}]}"));
  CHECK(reaches("env: [{name: A, value: b}, {name: NVIDIA_VISIBLE_DEVICES, value: all}]"));
  CHECK_FALSE(reaches("resources: {limits: {cpu: 1, nvidia.com/gpu: 0}, claims: []}"));
  CHECK_FALSE(reaches("env: [{name: CUDA_VISIBLE_DEVICES, value: '0'}]"));
}

TEST_CASE("only the variable shows devices that nobody asked for") {
  const test::Parsed asked("resources: {limits: {nvidia.com/gpu: 1}}");
  CHECK_FALSE(sees_devices_unasked({&asked.root()}));
  const test::Parsed unasked("env: [{name: NVIDIA_VISIBLE_DEVICES}]");
  CHECK(sees_devices_unasked({&unasked.root()}));
}

TEST_CASE("an accelerator is asked for by a clear number") {
  const auto asked = [](const std::string& text) {
    const test::Parsed parsed("resources: {" + text + "}");
    const yaml::Node* amount = accelerator_asked_by({&parsed.root()});
    return amount == nullptr ? std::string() : std::string(amount->key()->text());
  };
  CHECK(asked("limits: {cpu: 1, nvidia.com/gpu: 2}") == "nvidia.com/gpu");
  CHECK(asked("requests: {amd.com/gpu: '1'}") == "amd.com/gpu");
  CHECK(asked("limits: {nvidia.com/gpu: 0, rdma/ib: 1}") == "");
  CHECK(asked("limits: {nvidia.com/gpu: '${GPUS}'}") == "");
}

}  // namespace cnsched::accelerators
