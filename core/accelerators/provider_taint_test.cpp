#include "core/accelerators/provider_taint.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "testdata/support.h"

namespace cnsched::accelerators {

namespace {

bool is_set_for(const std::string& pod, std::string_view value = "present") {
  const test::Parsed parsed(pod);
  return is_set_by_provider("nvidia.com/gpu", value, k8s::PodSpec(parsed.root()));
}

std::string with_terms(std::string_view terms) {
  return fmt::format(
      "{{affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: "
      "{{nodeSelectorTerms: [{}]}}}}}}}}",
      terms);
}

constexpr std::string_view kGke =
    "{matchExpressions: [{key: cloud.google.com/gke-nodepool, operator: In, values: [gpu]}]}";
constexpr std::string_view kOther = "{matchExpressions: [{key: pool, operator: In, values: [a]}]}";

}  // namespace

TEST_CASE("GKE's taint has one value, for a pod that runs nowhere else") {
  CHECK(is_set_for("{nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}}"));
  CHECK_FALSE(is_set_for("{nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}}", "true"));
  CHECK_FALSE(is_set_for("{nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}}"));
  CHECK_FALSE(is_set_for("{}"));
}

TEST_CASE("a pod runs on GKE alone if every term asks for it") {
  CHECK(is_set_for(with_terms(kGke)));
  CHECK_FALSE(is_set_for(with_terms(fmt::format("{}, {}", kGke, kOther))));
  CHECK_FALSE(is_set_for(with_terms("")));
}

}  // namespace cnsched::accelerators
