#include "core/accelerators/vocabulary.h"
#include "core/accelerators/card.h"
#include "core/accelerators/catalogue.h"
#include "testdata/support.h"

namespace cnsched::accelerators::vocabulary_test {

std::string key(std::string_view written) {
  const auto correction = corrected_label_key(written);
  return correction ? correction->replacement : "right";
}

std::string value(std::string_view of_key, std::string_view written) {
  const auto correction = corrected_label_value(of_key, written);
  if (!correction) return "right";
  return correction->replacement.empty() ? correction->reason : correction->replacement;
}

std::string product(std::string_view written) { return value("nvidia.com/gpu.product", written); }
std::string gke(std::string_view written) {
  return value("cloud.google.com/gke-accelerator", written);
}

TEST_CASE("accepts every known key and value") {
  for (const NodeLabel& label : labels()) {
    INFO(label.key);
    CHECK(key(label.key) == "right");
    for (const std::string_view known : known_values(label.key)) {
      CHECK(value(label.key, known) == "right");
    }
  }
}

TEST_CASE("corrects keys with a wrong letter or separator, and keys that do not exist") {
  CHECK(key("nvidia.com/gpu-product") == "nvidia.com/gpu.product");
  CHECK(key("nvidia.com/gpu.name") == "nvidia.com/gpu.product");
  CHECK(key("nvidia.com/gpu.memory.total") == "nvidia.com/gpu.memory");
  CHECK(key("nvidia.com/GPU.count") == "nvidia.com/gpu.count");
  CHECK(key("cloud.google.com/gke-accelerators") == "cloud.google.com/gke-accelerator");
  CHECK(key("feature.node.kubernetes.io/pci-10.present") ==
        "feature.node.kubernetes.io/pci-10de.present");
}

TEST_CASE("accepts user-defined keys, and keys similar to known ones") {
  for (const char* own :
       {"gputype", "gpu", "nvidia.com/gpu", "nvidia.com/gpu.model", "example.com/gpu.product",
        "cloud.google.com/gke-nodepool", "cloud.google.com/gke-tpu",
        "karpenter.k8s.aws/instance-cpu-manufacturer", "karpenter.k8s.aws/instance-cpu",
        "node.kubernetes.io/instance-type", "feature.node.kubernetes.io/pci-1002.present",
        "nvidia.com/mig-3g.40gb.count", "/", ""}) {
    INFO(own);
    CHECK(key(own) == "right");
  }
}

TEST_CASE("corrects products with wrong case, order of words, or spelling of another tool") {
  CHECK(product("TESLA-T4") == "Tesla-T4");
  CHECK(product("NVIDIA-T4-SHARED") == "Tesla-T4-SHARED");
  CHECK(product("NVIDIA-A100-PCIe-80GB") == "NVIDIA-A100-80GB-PCIe");
  CHECK(product("nvidia-l4") == "NVIDIA-L4");
  CHECK(product("nvidia-tesla-t4") == "Tesla-T4");
  CHECK(product("NVIDIA-H100-SXM5-80GB") == "NVIDIA-H100-80GB-HBM3");
  CHECK(product("NVIDIA-A100-40GB") ==
        "GPU feature discovery writes 'NVIDIA-A100-SXM4-40GB' or 'NVIDIA-A100-PCIE-40GB'");
}

TEST_CASE("accepts unknown products") {
  for (const char* unknown :
       {"A100-SXM4-80GB", "A10G", "NVIDIA-A100-SXM-64GB", "NVIDIA-H100-80GB-HBM2e", "NVIDIA-L40G",
        "NVIDIA-GeForce-RTX-4090-D", "NVIDIA-B300", "NVIDIA-H20", "GRID-A100D-80C", "Tesla-T40",
        "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED", "NVIDIA-H200-SHARED", ""}) {
    INFO(unknown);
    CHECK(product(unknown) == "right");
  }
}

TEST_CASE("corrects names of GKE and Karpenter, which have one for each card") {
  CHECK(gke("nvidia-tesla-l4") == "nvidia-l4");
  CHECK(gke("nvidia-t4") == "nvidia-tesla-t4");
  CHECK(gke("NVIDIA-L4") == "nvidia-l4");
  CHECK(gke("nvidia-a100-40gb") == "nvidia-tesla-a100");
  CHECK(gke("nvidia-a100") == "GKE writes 'nvidia-tesla-a100' or 'nvidia-a100-80gb'");
  CHECK(gke("nvidia-l4-vws") == "right");
  CHECK(gke("nvidia-b400") == "right");
  CHECK(value("karpenter.k8s.aws/instance-gpu-name", "NVIDIA-A10G") == "a10g");
  CHECK(value("karpenter.k8s.aws/instance-gpu-name", "rtx-pro-4500") == "right");
}

TEST_CASE("corrects misspellings in lists that a platform owns") {
  CHECK(gke("nvidia-telsa-t4") == "nvidia-tesla-t4");
  CHECK(gke("nvidia-tesl-t4") == "nvidia-tesla-t4");
  CHECK(gke("nvidia-l44") == "nvidia-l4");
  CHECK(gke("nvidia-h100-80g") == "nvidia-h100-80gb");
  CHECK(gke("nvidia-rtx-pr-6000") == "nvidia-rtx-pro-6000");
  CHECK(product("NVIDIA-A100-SMX4-80GB") == "NVIDIA-A100-SXM4-80GB");
  CHECK(product("Telsa-T4-SHARED") == "Tesla-T4-SHARED");
  CHECK(product("NVIDA-A100-SXM4-40GB-MIG-1g.5gb") == "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb");
  CHECK(value("karpenter.k8s.aws/instance-gpu-name", "l44") == "l4");
  CHECK(value("karpenter.k8s.aws/instance-accelerator-name", "trainum2") == "trainium2");
  CHECK(value("cloud.google.com/gke-tpu-accelerator", "tpu-v5-liet-podslice") ==
        "tpu-v5-lite-podslice");
}

TEST_CASE("accepts names that differ from a known one as new cards do") {
  for (const char* unknown : {"nvidia-l40", "nvidia-r200", "nvidia-vr200", "nvidia-h20-141gb",
                              "nvidia-tesla-a10", "nvidia-gh200-141gb", "nvidia-tesla-t4-vws"}) {
    INFO(unknown);
    CHECK(gke(unknown) == "right");
  }
  for (const char* unknown : {"Tesla-V100S-PCIE-32GB", "NVIDIA-A100X", "NVIDIA-H100-80GB-HBM3e",
                              "A100-SXM-80GB", "NVIDIA-A10M", "NVIDIA-A10-24Q", "NVIDIA-R200"}) {
    INFO(unknown);
    CHECK(product(unknown) == "right");
  }
  CHECK(value("karpenter.k8s.aws/instance-gpu-name", "v100s") == "right");
}

TEST_CASE("corrects numbers with a unit, and words outside a closed list") {
  CHECK(value("nvidia.com/gpu.memory", "24Gi") == "the label is a number of MiB without a unit");
  CHECK(value("nvidia.com/gpu.memory", "24000") == "right");
  CHECK(value("amd.com/gpu.vram", "192GB") == "192G");
  CHECK(value("amd.com/gpu.vram", "64G") == "right");
  CHECK(value("nvidia.com/gpu.present", "True") == "true");
  CHECK(value("nvidia.com/gpu.present", "yes") == "right");
  CHECK(value("nvidia.com/gpu.family", "Ampere") == "ampere");
  CHECK(value("nvidia.com/gpu.family", "feynman") == "right");
  CHECK(value("nvidia.com/gpu.family", "rubin-ultra") == "right");
  CHECK(value("cloud.google.com/gke-gpu-sharing-strategy", "time-slicing") == "time-sharing");
  CHECK(value("cloud.google.com/gke-gpu-partition-size", "mig-1g.5gb") == "1g.5gb");
  CHECK(value("cloud.google.com/gke-tpu-accelerator", "tpu-v6e-slices") == "tpu-v6e-slice");
  CHECK(value("cloud.google.com/gke-tpu-accelerator", "tpu-v5e-slice") == "right");
  CHECK(value("kubernetes.azure.com/accelerator", "nvidia-a100") == "nvidia");
  CHECK(value("k8s.amazonaws.com/accelerator", "nvidia-ampere-a100") == "right");
}

}  // namespace cnsched::accelerators::vocabulary_test
