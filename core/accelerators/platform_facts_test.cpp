// Each platform must offer every label value that is documented for it: the lists below and, as an
// extra where they are present, the notes in ../shared/facts.
#include <regex>

#include "core/accelerators/platform.h"
#include "testdata/support.h"

namespace cnsched::accelerators::platform_facts_test {

struct Listed {
  Platform platform;
  std::string key;
  std::vector<std::string> values;
};

std::vector<Listed> listed_here() {
  return {
      {Platform::gpu_operator,
       "nvidia.com/gpu.product",
       {"Tesla-K80",
        "Tesla-P4",
        "Tesla-P100-PCIE-16GB",
        "Tesla-V100-SXM2-32GB",
        "Tesla-T4",
        "NVIDIA-A10",
        "NVIDIA-A10G",
        "NVIDIA-A30",
        "NVIDIA-A40",
        "NVIDIA-A100-SXM4-40GB",
        "A100-SXM4-40GB",
        "NVIDIA-A100-80GB-PCIe",
        "NVIDIA-H100-80GB-HBM3",
        "NVIDIA-H100-NVL",
        "NVIDIA-H200",
        "NVIDIA-GH200-480GB",
        "NVIDIA-B200",
        "NVIDIA-GB200",
        "NVIDIA-L4",
        "NVIDIA-L40",
        "NVIDIA-L40S",
        "NVIDIA-RTX-A6000",
        "NVIDIA-GeForce-RTX-4090"}},
      {Platform::gke,
       "cloud.google.com/gke-accelerator",
       {"nvidia-tesla-k80", "nvidia-tesla-p100", "nvidia-tesla-v100", "nvidia-tesla-p4",
        "nvidia-tesla-t4", "nvidia-tesla-a100", "nvidia-a100-80gb", "nvidia-l4", "nvidia-h100-80gb",
        "nvidia-h100-mega-80gb", "nvidia-h200-141gb", "nvidia-b200", "nvidia-gb200", "nvidia-gb300",
        "nvidia-rtx-pro-6000", "nvidia-rtx-pro-6000-vws"}},
      {Platform::gke,
       "cloud.google.com/gke-tpu-accelerator",
       {"tpu-v4-podslice", "tpu-v5-lite-device", "tpu-v5-lite-podslice", "tpu-v5p-slice",
        "tpu-v6e-slice", "tpu7x"}},
      {Platform::eks,
       "k8s.amazonaws.com/accelerator",
       {"nvidia-tesla-k80", "nvidia-tesla-p100", "nvidia-tesla-v100", "nvidia-tesla-t4",
        "nvidia-tesla-a100", "nvidia-a10g", "nvidia-l4", "nvidia-l40s"}},
      {Platform::karpenter,
       "karpenter.k8s.aws/instance-gpu-name",
       {"t4", "t4g", "a10g", "l4", "l40s", "v100", "a100", "h100", "h200", "b200", "b300",
        "rtx-pro-server-6000", "rtx-pro-4500", "radeon-pro-v520"}},
      {Platform::karpenter,
       "karpenter.k8s.aws/instance-accelerator-name",
       {"inferentia", "inferentia2", "trainium", "trainium2"}},
      {Platform::aks,
       "node.kubernetes.io/instance-type",
       {"Standard_NC24ads_A100_v4", "Standard_NC4as_T4_v3"}},
      {Platform::gpu_operator,
       "amd.com/gpu.product-name",
       {"AMD_Instinct_MI300X_OAM", "AMD_Instinct_MI325_OAM"}},
      {Platform::gpu_operator,
       "gpu.intel.com/product",
       {"Max_1100", "Max_1550", "Flex_140", "Flex_170"}},
  };
}

std::string facts() {
  const std::ifstream file(project_file("../shared/facts/accelerators.md"));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What matches of the first text from `begin` to `end`.
std::vector<std::string> words(const std::string& text, std::string_view begin,
                               std::string_view end, const char* pattern) {
  const std::size_t at = text.find(begin);
  REQUIRE(at != text.npos);
  const std::size_t from = at + begin.size();
  const std::string part = text.substr(from, text.find(end, from) - from);
  const std::regex word(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator i(part.begin(), part.end(), word), last; i != last; ++i) {
    found.push_back(i->str());
  }
  REQUIRE_FALSE(found.empty());
  return found;
}

/// Completes abbreviated names: "-t4" means "nvidia-tesla-t4".
std::vector<std::string> in_full(std::vector<std::string> names) {
  for (std::string& name : names) {
    if (name.starts_with('-')) name = fmt::format("nvidia-tesla{}", name);
  }
  return names;
}

std::vector<Listed> listed_in(const std::string& text) {
  constexpr auto kName = "[a-z][a-z0-9-]*[0-9][a-z0-9-]*|inferentia|trainium";
  std::vector<Listed> all;
  all.push_back({Platform::gpu_operator, "nvidia.com/gpu.product",
                 words(text, "### 4.1", "Wrong values", "(NVIDIA|Tesla|A100)-[A-Za-z0-9-]+")});
  // The section also lists prefixes.
  std::erase_if(all.back().values, [](const std::string& value) { return value.ends_with('-'); });
  all.push_back({Platform::gke, "cloud.google.com/gke-accelerator",
                 words(text, "| cloud.google.com/gke-accelerator |", "|", "nvidia-[a-z0-9-]+")});
  // A slice of TPU v3 has several hosts.
  all.push_back(
      {Platform::gke, "cloud.google.com/gke-tpu-accelerator",
       words(text, "| cloud.google.com/gke-tpu-accelerator |", "(tpu-v3", "tpu[a-z0-9-]+")});
  all.push_back({Platform::eks, "k8s.amazonaws.com/accelerator",
                 in_full(words(text, "CA's AWS list:", ";", "(nvidia)?-[a-z0-9-]+"))});
  all.push_back({Platform::karpenter, "karpenter.k8s.aws/instance-gpu-name",
                 words(text, "with exactly one kind of GPU |", "(complete", kName)});
  // Karpenter does not support the resource of Qualcomm.
  all.push_back({Platform::karpenter, "karpenter.k8s.aws/instance-accelerator-name",
                 words(text, "-manufacturer, -count | Karpenter |", ", qualcomm", kName)});
  all.push_back({Platform::aks, "node.kubernetes.io/instance-type",
                 words(text, "### 5.3", "### 5.4", "Standard_[A-Za-z0-9_]+")});
  all.push_back({Platform::gpu_operator, "amd.com/gpu.product-name",
                 words(text, "product-name (", "AMD_Radeon", "AMD_[A-Za-z0-9_]+")});
  all.push_back({Platform::gpu_operator, "gpu.intel.com/product",
                 words(text, "gpu.intel.com/product (", ")", "[A-Z][a-z]+_[0-9]+")});
  return all;
}

/// Whether the placement of some product, or of the value as a name, demands exactly this value.
bool offers(Platform platform, const std::string& key, const std::string& value) {
  const auto demands_it = [&](const std::string& name) {
    for (const std::int64_t count : {1, 4}) {
      PlacementRequest wanted;
      wanted.accelerators = {name};
      wanted.count = count;
      const auto placement = place(platform, wanted);
      if (!placement) continue;
      const auto demand = std::ranges::find(placement->demands, key, &LabelDemand::key);
      if (demand == placement->demands.end()) continue;
      if (std::ranges::find(demand->values, value) != demand->values.end()) return true;
    }
    return false;
  };
  return demands_it(value) || std::ranges::any_of(products(), [&](const Product& product) {
           return demands_it(product.name);
         });
}

void check_all_offered(const std::vector<Listed>& all) {
  for (const Listed& listed : all) {
    for (const std::string& value : listed.values) {
      INFO(name_of(listed.platform), " ", listed.key, " ", value);
      CHECK(offers(listed.platform, listed.key, value));
    }
  }
}

TEST_CASE("each platform offers every documented label value") { check_all_offered(listed_here()); }

TEST_CASE("each platform offers every label value in ../shared/facts, if present") {
  const std::string text = facts();
  if (text.empty()) return;
  check_all_offered(listed_in(text));
}

TEST_CASE("finds a product by each documented label value") {
  for (const Listed& listed : listed_here()) {
    if (listed.platform == Platform::aks) continue;
    for (const std::string& value : listed.values) {
      INFO(value);
      CHECK(product_named(value) != nullptr);
    }
  }
}

}  // namespace cnsched::accelerators::platform_facts_test
