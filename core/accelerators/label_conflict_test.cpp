#include "core/accelerators/label_conflict.h"
#include "testdata/support.h"

namespace cnsched::accelerators::label_conflict_test {

/// Requirements written as YAML; their nodes live as long as this does.
struct Requirements {
  explicit Requirements(const std::string& text)
      : list("[" + text + "]"), all(k8s::requirements_in(list.root())) {}
  Parsed list;
  std::vector<k8s::Requirement> all;
};

std::string in(const std::string& key, const std::string& values) {
  return "{key: " + key + ", operator: In, values: [" + values + "]}";
}

std::string between(const std::string& a, const std::string& b) {
  const Requirements both(a + ", " + b);
  const auto conflict = conflict_between_labels(both.all[0], both.all[1]);
  const auto reversed = conflict_between_labels(both.all[1], both.all[0]);
  CHECK(conflict.has_value() == reversed.has_value());
  return conflict ? conflict->reason : "";
}

std::string with(const std::string& label, std::string_view resource, std::int64_t amount = 1) {
  const Requirements one(label);
  const auto conflict = conflict_with_device(one.all[0], {resource, amount});
  return conflict ? conflict->reason : "";
}

const std::string kProduct = "nvidia.com/gpu.product";
const std::string kGke = "cloud.google.com/gke-accelerator";

TEST_CASE("does not compare labels that differ in card, vendor or cloud") {
  CHECK(between(in(kProduct, "NVIDIA-A100-SXM4-40GB"), in(kGke, "nvidia-a100-80gb")) == "");
  CHECK(between(in(kProduct, "Tesla-T4"), in("amd.com/gpu.family", "AI")) == "");
  CHECK(between(in(kGke, "nvidia-l4"), in("karpenter.k8s.aws/instance-gpu-name", "t4")) == "");
}

TEST_CASE("compares memory with the largest allowed card") {
  const auto memory = [](const std::string& expression, const std::string& products) {
    return between("{key: nvidia.com/gpu.memory, " + expression + "}", in(kProduct, products));
  };
  CHECK(memory("operator: Gt, values: ['40000']", "Tesla-T4") != "");
  CHECK(memory("operator: Gt, values: ['40000']", "Tesla-T4, NVIDIA-L40S") == "");
  CHECK(memory("operator: Gt, values: ['79000']", "NVIDIA-H100-80GB-HBM3") == "");
  CHECK(memory("operator: In, values: ['15360']", "Tesla-T4") == "");
  CHECK(memory("operator: In, values: ['81920']", "Tesla-T4") != "");
  for (const char* odd : {"'9223372036854775807'", "'-1'", "80Gi", "", "'1', '2'"}) {
    INFO(odd);
    CHECK(memory(std::string("operator: Gt, values: [") + odd + "]", "Tesla-T4") == "");
  }
}

TEST_CASE("a family or partition that the card does not have is a conflict") {
  CHECK(between(in("nvidia.com/gpu.family", "hopper"), in(kProduct, "NVIDIA-L4")) != "");
  CHECK(between(in("nvidia.com/gpu.family", "hopper, ada-lovelace"), in(kProduct, "NVIDIA-L4")) ==
        "");
  const std::string partition = "cloud.google.com/gke-gpu-partition-size";
  CHECK(between(in(partition, "1g.5gb"), in(kGke, "nvidia-a100-80gb")) ==
        "A100 with 80 GB has no MIG profile 1g.5gb");
  CHECK(between(in(partition, "1g.10gb"), in(kGke, "nvidia-a100-80gb")) == "");
}

TEST_CASE("a device of another vendor is a conflict") {
  CHECK(with(in(kProduct, "NVIDIA-L4"), "amd.com/gpu") == "they have NVIDIA accelerators");
  CHECK(with(in(kProduct, "NVIDIA-L4"), "nvidia.com/gpu") == "");
  CHECK(with(in(kProduct, "NVIDIA-L4"), "gpu.intel.com/i915") == "");
  CHECK(with(in("node.kubernetes.io/instance-type", "inf2.xlarge"), "nvidia.com/gpu") != "");
  CHECK(with(in("eks.amazonaws.com/instance-family", "inf2"), "nvidia.com/gpu") != "");
  CHECK(with(in("eks.amazonaws.com/instance-category", "g"), "amd.com/gpu") == "");
  CHECK(with(in("node.kubernetes.io/instance-type", "inf2.xlarge, x9.large"), "nvidia.com/gpu") ==
        "");
  CHECK(with(in("cloud.google.com/gke-tpu-topology", "2x4"), "nvidia.com/gpu") ==
        "they have Google TPU accelerators");
}

TEST_CASE(
    "a slice that the card does not have, or that the nodes offer as whole cards, is a conflict") {
  CHECK(with(in(kProduct, "NVIDIA-H100-80GB-HBM3"), "nvidia.com/mig-1g.5gb") != "");
  CHECK(with(in(kProduct, "NVIDIA-H100-80GB-HBM3"), "nvidia.com/mig-1g.10gb") == "");
  CHECK(with(in(kProduct, "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"), "nvidia.com/mig-1g.5gb") != "");
  CHECK(with(in(kProduct, "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"), "nvidia.com/gpu") == "");
  const Requirements gke(in("cloud.google.com/gke-spot", "'true'"));
  CHECK(conflict_with_gke(gke.all[0], {"nvidia.com/mig-1g.5gb", 1}));
  CHECK_FALSE(conflict_with_gke(gke.all[0], {"nvidia.com/gpu", 1}));
}

TEST_CASE("requesting more devices than a node has is a conflict unless they are shared") {
  const std::string count = in("nvidia.com/gpu.count", "'1', '2'");
  CHECK(with(count, "nvidia.com/gpu", 4) == "they have 2 each");
  CHECK(with(count, "nvidia.com/gpu", 2) == "");
  CHECK(with(count, "amd.com/gpu", 1) == "they have NVIDIA accelerators");
  CHECK(with(in("nvidia.com/gpu.count", "many"), "nvidia.com/gpu", 4) == "");
  CHECK(with("{key: nvidia.com/gpu.count, operator: Lt, values: ['4']}", "nvidia.com/gpu", 8) ==
        "they have 3 each");
  CHECK(with(in("node.kubernetes.io/instance-type", "g5.xlarge"), "nvidia.com/gpu", 2) != "");
  const Requirements whole(in(kProduct, "Tesla-T4") + ", " + in(kProduct, "Tesla-T4-SHARED"));
  CHECK(excludes_sharing(whole.all[0]));
  CHECK_FALSE(excludes_sharing(whole.all[1]));
}

TEST_CASE("a product with a slice that its card does not have is a conflict") {
  const Requirements products(in(kProduct, "NVIDIA-A100-SXM4-40GB-MIG-3g.71gb") + ", " +
                              in(kProduct, "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb-SHARED") + ", " +
                              in(kProduct, "NVIDIA-A100-SXM4-40GB-MIG-INVALID"));
  CHECK(conflict_of_label(products.all[0]));
  CHECK_FALSE(conflict_of_label(products.all[1]));
  CHECK_FALSE(conflict_of_label(products.all[2]));
}

}  // namespace cnsched::accelerators::label_conflict_test
