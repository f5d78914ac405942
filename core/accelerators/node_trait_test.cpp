#include "core/accelerators/node_trait.h"

#include <doctest/doctest.h>

#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::accelerators {

namespace {

/// What the requirement, written as YAML, tells the trait to be; "" if it leaves it open.
std::string told(const std::string& requirement, Trait trait) {
  const test::Parsed list("[" + requirement + "]");
  const auto requirements = k8s::requirements_in(list.root());
  REQUIRE(requirements.size() == 1);
  return join_words(told_by(requirements.front(), trait), "or");
}

std::string told(const std::string& key, const std::string& value, Trait trait) {
  return told("{key: " + key + ", operator: In, values: ['" + value + "']}", trait);
}

}  // namespace

TEST_CASE("the makers of labels have names of their own for one card") {
  CHECK(told("nvidia.com/gpu.product", "Tesla-T4", Trait::card) == "T4");
  CHECK(told("nvidia.com/gpu.product", "Tesla-T4-SHARED", Trait::card) == "T4");
  CHECK(told("cloud.google.com/gke-accelerator", "nvidia-tesla-t4", Trait::card) == "T4");
  CHECK(told("karpenter.k8s.aws/instance-gpu-name", "t4", Trait::card) == "T4");
  CHECK(told("eks.amazonaws.com/instance-gpu-name", "l40s", Trait::card) == "L40S");
  CHECK(told("gpu.nvidia.com/class", "A100_NVLINK_80GB", Trait::card) == "A100");
  CHECK(told("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3", Trait::card) == "H100");
}

TEST_CASE("a name that is not known, or that anyone may choose, tells no card") {
  CHECK(told("nvidia.com/gpu.product", "NVIDIA-GeForce-RTX-3090", Trait::card) == "");
  CHECK(told("nvidia.com/gpu.product", "${GPU}", Trait::card) == "");
  CHECK(told("nvidia.com/gpu.family", "ampere", Trait::card) == "");
  CHECK(told("k8s.amazonaws.com/accelerator", "nvidia-tesla-a10", Trait::card) == "");
  CHECK(told("example.com/gpu", "a100", Trait::card) == "");
}

TEST_CASE("of a card of several sizes the memory is told where the name has it") {
  const auto memory = [](const std::string& product) {
    return told("nvidia.com/gpu.product", product, Trait::card_of_memory);
  };
  CHECK(memory("NVIDIA-A100-SXM4-40GB") == "A100 with 40 GB");
  CHECK(memory("NVIDIA-A100-80GB-PCIe") == "A100 with 80 GB");
  CHECK(memory("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb") == "A100 with 40 GB");
  CHECK(memory("NVIDIA-A100-SXM4-80GB-MIG-3g.40gb") == "A100 with 80 GB");
  CHECK(memory("A100") == "");
  CHECK(memory("NVIDIA-H100-80GB-HBM3") == "H100 with 80 GB");
  CHECK(memory("NVIDIA-H100-PCIe") == "");
  CHECK(memory("NVIDIA-L40S-48GB") == "");
  CHECK(told("cloud.google.com/gke-accelerator", "nvidia-tesla-a100", Trait::card_of_memory) ==
        "A100 with 40 GB");
}

TEST_CASE("a label tells the vendor unless cards of several share it") {
  CHECK(told("nvidia.com/gpu.present", "true", Trait::vendor) == "NVIDIA");
  CHECK(told("nvidia.com/gpu.present", "false", Trait::vendor) == "");
  CHECK(told("amd.com/gpu.family", "AI", Trait::vendor) == "AMD");
  CHECK(told("karpenter.k8s.aws/instance-gpu-count", "1", Trait::vendor) == "");
  CHECK(told("karpenter.k8s.aws/instance-gpu-manufacturer", "amd", Trait::vendor) == "AMD");
  CHECK(told("karpenter.k8s.aws/instance-gpu-name", "radeon-pro-v520", Trait::vendor) == "AMD");
  CHECK(told("intel.feature.node.kubernetes.io/gpu", "true", Trait::vendor) == "");
}

TEST_CASE("the operator decides whether a label is asked for") {
  CHECK(told("{key: nvidia.com/gpu.count, operator: Gt, values: ['1']}", Trait::vendor) ==
        "NVIDIA");
  CHECK(told("{key: eks.amazonaws.com/nodegroup, operator: Exists}", Trait::cloud) == "EKS");
  CHECK(told("{key: eks.amazonaws.com/nodegroup, operator: DoesNotExist}", Trait::cloud) == "");
  CHECK(told("{key: nvidia.com/gpu.product, operator: NotIn, values: [Tesla-T4]}", Trait::card) ==
        "");
  CHECK(told("{key: nvidia.com/gpu.product, operator: In, values: []}", Trait::card) == "");
  CHECK(told("{key: nvidia.com/gpu.product, operator: In, values: [Tesla-T4, NVIDIA-L4]}",
             Trait::card) == "T4 or L4");
  CHECK(told("{key: nvidia.com/gpu.product, operator: In, values: [Tesla-T4, X]}", Trait::card) ==
        "");
}

}  // namespace cnsched::accelerators
