#include "core/accelerators/mismatch.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "testdata/support.h"

namespace cnsched::accelerators {

namespace {

std::string found_in(const std::string& text) {
  const test::Parsed pod(text);
  std::string all;
  for (const Mismatch& mismatch : mismatches_of(k8s::PodSpec(pod.root()))) {
    all += fmt::format("{}{};", mismatch.label.key,
                       mismatch.device  ? fmt::format(" without {}", mismatch.device->name)
                       : mismatch.other ? fmt::format(" or {}", mismatch.other->key)
                                        : "");
  }
  return all;
}

std::string terms(const std::string& expressions) {
  return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "{nodeSelectorTerms: [" +
         expressions + "]}}}\n";
}

const std::string kGpu = "containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]\n";
const std::string kAmd =
    "{matchExpressions: [{key: amd.com/gpu.family, operator: In, values: [AI]}]}";
const std::string kNvidia =
    "{matchExpressions: [{key: nvidia.com/gpu.product, operator: In, values: [Tesla-T4]}]}";

}  // namespace

TEST_CASE("only if every term fails is anything found") {
  CHECK(found_in(kGpu + terms(kAmd)) == "amd.com/gpu.family without nvidia.com/gpu;");
  CHECK(found_in(kGpu + terms(kAmd + ", " + kNvidia)) == "");
  CHECK(found_in(kGpu + terms(kAmd + ", {}")) == "amd.com/gpu.family without nvidia.com/gpu;");
  CHECK(found_in(kGpu + terms("")) == "");
}

TEST_CASE("a pair of labels and a device are found side by side") {
  const std::string selector =
      "nodeSelector: {nvidia.com/gpu.product: Tesla-T4, nvidia.com/gpu.family: hopper}\n";
  CHECK(found_in(selector + "containers: [{resources: {limits: {amd.com/gpu: 1}}}]\n") ==
        "nvidia.com/gpu.family or nvidia.com/gpu.product;"
        "nvidia.com/gpu.product without amd.com/gpu;");
}

TEST_CASE("two labels that name two cards are another's business, a family beside a card is not") {
  CHECK(found_in("nodeSelector: {nvidia.com/gpu.product: Tesla-T4, "
                 "cloud.google.com/gke-accelerator: nvidia-l4}\n") == "");
  CHECK(found_in("nodeSelector: {nvidia.com/gpu.product: Tesla-T4, "
                 "nvidia.com/gpu.family: hopper}\n") != "");
}

TEST_CASE("selectors of any length are bearable") {
  std::string selector = "nodeSelector:\n";
  for (int i = 0; i < 20'000; ++i) selector += fmt::format("  amd.com/gpu.x{}: a\n", i);
  CHECK(found_in(selector + kGpu) == "amd.com/gpu.x0 without nvidia.com/gpu;");
}

}  // namespace cnsched::accelerators
