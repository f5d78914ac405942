#include "core/accelerators/node_trait.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::accelerators::node_trait_test {

/// The values of the trait by a requirement in YAML; "" if it does not determine the trait.
std::string values(const std::string& requirement, Trait trait) {
  const Parsed list("[" + requirement + "]");
  const auto requirements = k8s::requirements_in(list.root());
  REQUIRE(requirements.size() == 1);
  return join_words(trait_values(requirements.front(), trait), "or");
}

std::string values(const std::string& key, const std::string& value, Trait trait) {
  return values("{key: " + key + ", operator: In, values: ['" + value + "']}", trait);
}

bool is_set_for(const std::string& pod, std::string_view value = "present") {
  const Parsed parsed(pod);
  return is_provider_taint("nvidia.com/gpu", value, k8s::PodSpec(parsed.root()));
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

TEST_CASE("recognizes a card in the spelling of every tool") {
  CHECK(values("nvidia.com/gpu.product", "Tesla-T4", Trait::card) == "T4");
  CHECK(values("nvidia.com/gpu.product", "Tesla-T4-SHARED", Trait::card) == "T4");
  CHECK(values("cloud.google.com/gke-accelerator", "nvidia-tesla-t4", Trait::card) == "T4");
  CHECK(values("karpenter.k8s.aws/instance-gpu-name", "t4", Trait::card) == "T4");
  CHECK(values("eks.amazonaws.com/instance-gpu-name", "l40s", Trait::card) == "L40S");
  CHECK(values("gpu.nvidia.com/class", "A100_NVLINK_80GB", Trait::card) == "A100");
  CHECK(values("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3", Trait::card) == "H100");
}

TEST_CASE("an unknown name, or a label that anyone may set, determines no card") {
  CHECK(values("nvidia.com/gpu.product", "NVIDIA-GeForce-RTX-3090", Trait::card) == "");
  CHECK(values("nvidia.com/gpu.product", "${GPU}", Trait::card) == "");
  CHECK(values("nvidia.com/gpu.family", "ampere", Trait::card) == "");
  CHECK(values("k8s.amazonaws.com/accelerator", "nvidia-tesla-a10", Trait::card) == "");
  CHECK(values("example.com/gpu", "a100", Trait::card) == "");
}

TEST_CASE("determines the memory of a card with several sizes if the name contains it") {
  const auto memory = [](const std::string& product) {
    return values("nvidia.com/gpu.product", product, Trait::card_of_memory);
  };
  CHECK(memory("NVIDIA-A100-SXM4-40GB") == "A100 with 40 GB");
  CHECK(memory("NVIDIA-A100-80GB-PCIe") == "A100 with 80 GB");
  CHECK(memory("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb") == "A100 with 40 GB");
  CHECK(memory("NVIDIA-A100-SXM4-80GB-MIG-3g.40gb") == "A100 with 80 GB");
  CHECK(memory("A100") == "");
  CHECK(memory("NVIDIA-H100-80GB-HBM3") == "H100 with 80 GB");
  CHECK(memory("NVIDIA-H100-PCIe") == "");
  CHECK(memory("NVIDIA-L40S-48GB") == "");
  CHECK(values("cloud.google.com/gke-accelerator", "nvidia-tesla-a100", Trait::card_of_memory) ==
        "A100 with 40 GB");
}

TEST_CASE("a label determines the vendor unless cards of several vendors have it") {
  CHECK(values("nvidia.com/gpu.present", "true", Trait::vendor) == "NVIDIA");
  CHECK(values("nvidia.com/gpu.present", "false", Trait::vendor) == "");
  CHECK(values("amd.com/gpu.family", "AI", Trait::vendor) == "AMD");
  CHECK(values("karpenter.k8s.aws/instance-gpu-count", "1", Trait::vendor) == "");
  CHECK(values("karpenter.k8s.aws/instance-gpu-manufacturer", "amd", Trait::vendor) == "AMD");
  CHECK(values("karpenter.k8s.aws/instance-gpu-name", "radeon-pro-v520", Trait::vendor) == "AMD");
  CHECK(values("intel.feature.node.kubernetes.io/gpu", "true", Trait::vendor) == "");
}

TEST_CASE("only operators that require the label determine a trait") {
  CHECK(values("{key: nvidia.com/gpu.count, operator: Gt, values: ['1']}", Trait::vendor) ==
        "NVIDIA");
  CHECK(values("{key: eks.amazonaws.com/nodegroup, operator: Exists}", Trait::cloud) == "EKS");
  CHECK(values("{key: eks.amazonaws.com/nodegroup, operator: DoesNotExist}", Trait::cloud) == "");
  CHECK(values("{key: nvidia.com/gpu.product, operator: NotIn, values: [Tesla-T4]}", Trait::card) ==
        "");
  CHECK(values("{key: nvidia.com/gpu.product, operator: In, values: []}", Trait::card) == "");
  CHECK(values("{key: nvidia.com/gpu.product, operator: In, values: [Tesla-T4, NVIDIA-L4]}",
               Trait::card) == "T4 or L4");
  CHECK(values("{key: nvidia.com/gpu.product, operator: In, values: [Tesla-T4, X]}", Trait::card) ==
        "");
}

TEST_CASE("GKE's taint has one value, and applies only to pods that run on GKE") {
  CHECK(is_set_for("{nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}}"));
  CHECK_FALSE(is_set_for("{nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}}", "true"));
  CHECK_FALSE(is_set_for("{nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}}"));
  CHECK_FALSE(is_set_for("{}"));
}

TEST_CASE("a pod runs on GKE only if every term requires it") {
  CHECK(is_set_for(with_terms(kGke)));
  CHECK_FALSE(is_set_for(with_terms(fmt::format("{}, {}", kGke, kOther))));
  CHECK_FALSE(is_set_for(with_terms("")));
}

}  // namespace cnsched::accelerators::node_trait_test

namespace cnsched::accelerators::label_values_test {

TEST_CASE("just_below_cards_of is below the cards of a size, and above smaller ones") {
  struct Card {
    std::int64_t nominal_gigabytes;
    std::int64_t mebibytes;
  };
  // As GPU feature discovery and Karpenter label them.
  constexpr auto kCards = std::to_array<Card>({{8, 7680},
                                               {16, 15360},
                                               {16, 16384},
                                               {24, 22888},
                                               {24, 23034},
                                               {32, 32768},
                                               {40, 40960},
                                               {48, 45776},
                                               {80, 81559},
                                               {80, 81920},
                                               {96, 97871},
                                               {141, 143771}});
  for (const Card& card : kCards) {
    for (const Card& other : kCards) {
      CHECK((other.mebibytes > just_below_cards_of(card.nominal_gigabytes)) ==
            (other.nominal_gigabytes >= card.nominal_gigabytes));
    }
  }
}

TEST_CASE("parses amounts of memory as people write them") {
  const auto read = [](std::string_view text) {
    const auto amount = memory_amount_in(text);
    if (!amount) return std::string("nothing");
    return std::to_string(amount->number) + (amount->in_gigabytes ? " GB" : " MiB");
  };
  CHECK(read("40Gi") == "40 GB");
  CHECK(read("80GB") == "80 GB");
  CHECK(read("80gib") == "80 GB");
  CHECK(read("16384MiB") == "16384 MiB");
  for (const std::string_view text : {"40", "Gi", "-4Gi", "0Gi", "1.5Gi", "40Ti", "40Gi of",
                                      "99999999999Gi", "99999999999999999999Gi"}) {
    CHECK(read(text) == "nothing");
  }
}

TEST_CASE("knows labels that are never whole numbers, and labels in MiB") {
  CHECK(example_without_number("amd.com/gpu.vram") == "64G");
  CHECK(example_without_number("nvidia.com/gpu.memory").empty());
  CHECK(counts_mebibytes("nvidia.com/gpu.memory"));
  CHECK(counts_mebibytes("nvidia.com/mig-1g.5gb.memory"));
  CHECK_FALSE(counts_mebibytes("nvidia.com/mig-1g.5gb.count"));
  CHECK_FALSE(counts_mebibytes("amd.com/gpu.vram"));
}

}  // namespace cnsched::accelerators::label_values_test
