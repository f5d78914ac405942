#include "core/accelerators/platform.h"
#include "core/accelerators/resource_name.h"
#include "core/accelerators/vocabulary.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "testdata/support.h"

namespace cnsched::accelerators::platform_test {

using Operator = LabelDemand::Operator;

PlacementRequest wanted(std::vector<std::string> names, std::int64_t count = 1) {
  PlacementRequest made;
  made.accelerators = std::move(names);
  made.count = count;
  return made;
}

std::string words_of(const LabelDemand& demand) {
  constexpr auto kWords = std::to_array<std::string_view>({"in", ">", "not in", "no"});
  const std::string_view op = kWords[static_cast<std::size_t>(demand.op)];
  if (demand.op == Operator::does_not_exist) return fmt::format("{} {}", op, demand.key);
  return fmt::format("{} {} {}", demand.key, op, fmt::join(demand.values, ","));
}

std::string words_of(const std::vector<LabelDemand>& demands) {
  std::vector<std::string> words;
  for (const LabelDemand& demand : demands) words.push_back(words_of(demand));
  return fmt::format("{}", fmt::join(words, "; "));
}

/// The resource and the label demands of the placement, or the error.
std::string placement_text(Platform platform, const PlacementRequest& what) {
  const auto placement = place(platform, what);
  if (!placement) return placement.error().message;
  return fmt::format("{}: {}", placement->resource, words_of(placement->demands));
}

std::string placement_text(Platform platform, std::string_view name, std::int64_t count = 1) {
  return placement_text(platform, wanted({std::string(name)}, count));
}

std::string of_slices(Platform platform, std::string_view name, MigStrategy strategy) {
  PlacementRequest what = wanted({std::string(name)});
  what.mig_strategy = strategy;
  return placement_text(platform, what);
}

std::string larger(Platform platform, std::vector<std::string> names, std::int64_t mebibytes) {
  PlacementRequest what = wanted(std::move(names));
  what.more_than_mebibytes = mebibytes;
  return placement_text(platform, what);
}

std::string machine(Platform platform, std::string_view name, std::int64_t count = 1) {
  const auto placement = place(platform, wanted({std::string(name)}, count));
  return placement ? placement->machine_type.value_or("") : placement.error().message;
}

Placement placed(Platform platform, std::string_view name, std::int64_t count = 1) {
  auto placement = place(platform, wanted({std::string(name)}, count));
  REQUIRE_MESSAGE(placement, placement.error().message);
  return *std::move(placement);
}

std::string taint(const Placement& placement) {
  return fmt::format("{}={}:{}", placement.taint.key, placement.taint.value,
                     placement.taint.effect);
}

std::string toleration(const Placement& placement) {
  if (placement.tolerations.empty()) return "none";
  std::vector<std::string> words;
  for (const auto& [key, value] : placement.tolerations) {
    words.push_back(fmt::format("{}={}", key, value));
  }
  return join_words(words);
}

void check_value(const LabelDemand& demand, const std::string& value) {
  INFO(demand.key, " ", value);
  CHECK_FALSE(k8s::label_value_problem(value));
  CHECK_FALSE(corrected_label_value(demand.key, value));
  const auto known = known_values(demand.key);
  // A slice's product is the card's, with a suffix.
  const std::string_view whole = std::string_view(value).substr(0, value.find("-MIG-"));
  if (!known.empty()) CHECK(std::ranges::find(known, whole) != known.end());
}

void check_demands(const std::vector<LabelDemand>& demands) {
  CHECK_FALSE(demands.empty());
  CHECK(std::ranges::is_sorted(demands, {}, &LabelDemand::key));
  for (const LabelDemand& demand : demands) {
    INFO(demand.key);
    CHECK_FALSE(k8s::label_key_problem(demand.key));
    CHECK_FALSE(corrected_label_key(demand.key));
    CHECK(demand.values.empty() == (demand.op == Operator::does_not_exist));
    for (const std::string& value : demand.values) check_value(demand, value);
  }
}

void check_placement(const Placement& placement) {
  CHECK_FALSE(resource_name_problem(placement.resource));
  CHECK(is_accelerator(placement.resource));
  CHECK(find_resource(placement.resource)->vendor == placement.vendor);
  check_demands(placement.demands);
  check_demands(placement.elsewhere);
  CHECK_FALSE(k8s::label_key_problem(placement.taint.key));
  CHECK_FALSE(placement.plugin_tolerations.empty());
  CHECK((placement.tolerated_by_admission || !placement.tolerations.empty()));
  for (const LabelValue& label : placement.owner_labels) {
    check_value({label.key, Operator::in, {}}, label.value);
  }
}

/// Whether the reason names the product or the platform, in any spelling.
bool names_product_or_platform(const std::string& reason, Platform platform,
                               const Product& product) {
  const std::string text = lower(reason);
  const auto has = [&](std::string_view part) { return test::has(text, lower(part)); };
  return has(name_of(platform)) || has(product.name) || has(product.title);
}

TEST_CASE("places every product on every platform, or fails with a reason") {
  for (const Platform platform : platforms()) {
    for (const Product& product : products()) {
      for (const std::int64_t count : {1, 2, 8}) {
        INFO(name_of(platform), " ", product.name, " ", count);
        const auto placement = place(platform, wanted({product.name}, count));
        if (placement) {
          check_placement(*placement);
          CHECK_FALSE(reason_unavailable(platform, product));
        } else {
          CHECK(names_product_or_platform(placement.error().message, platform, product));
        }
      }
    }
  }
}

TEST_CASE(
    "the error for an unavailable product starts with the reason, for any number of devices") {
  for (const Platform platform : platforms()) {
    for (const Product& product : products()) {
      INFO(name_of(platform), " ", product.name);
      const auto why = reason_unavailable(platform, product);
      const auto placement = place(platform, wanted({product.name}));
      if (why) CHECK(placement.error().message.starts_with(*why));
    }
  }
}

TEST_CASE("every platform has a name and a description") {
  for (const Platform platform : platforms()) {
    CHECK(platform_named(name_of(platform)) == platform);
    CHECK_FALSE(describe(platform).empty());
    CHECK_FALSE(describe(platform).ends_with('.'));
  }
  CHECK(name_of(Platform::gpu_operator) == "gpu-operator");
  CHECK_FALSE(platform_named("openshift"));
}

TEST_CASE("GKE identifies cards by its own names, and slices by the partition size") {
  CHECK(placement_text(Platform::gke, "l4") ==
        "nvidia.com/gpu: cloud.google.com/gke-accelerator in nvidia-l4");
  CHECK(placement_text(Platform::gke, "a100-40gb") ==
        "nvidia.com/gpu: cloud.google.com/gke-accelerator in nvidia-tesla-a100");
  CHECK(placement_text(Platform::gke, "nvidia-h100-mega-80gb", 8) ==
        "nvidia.com/gpu: cloud.google.com/gke-accelerator in nvidia-h100-mega-80gb");
  CHECK(placement_text(Platform::gke, "a100-80gb-mig-3g.40gb") ==
        "nvidia.com/gpu: cloud.google.com/gke-accelerator in nvidia-a100-80gb; "
        "cloud.google.com/gke-gpu-partition-size in 3g.40gb");
  CHECK(placement_text(Platform::gke, "A100-SXM4-40GB-MIG-1g.10gb")
            .starts_with("GKE has no 'A100-SXM4-40GB-MIG-1g.10gb': it does not offer MIG profile "
                         "1g.10gb of nvidia-tesla-a100; it has nvidia-"));
  CHECK(of_slices(Platform::gke, "a100-mig-1g.5gb", MigStrategy::mixed) ==
        "GKE advertises MIG slices as nvidia.com/gpu and does not support the mixed strategy");
}

TEST_CASE("GKE gives a pod all chips of a TPU host") {
  CHECK(placement_text(Platform::gke, "tpu-v5-lite-podslice", 4) ==
        "google.com/tpu: cloud.google.com/gke-tpu-accelerator in tpu-v5-lite-podslice; "
        "cloud.google.com/gke-tpu-topology in 2x2");
  CHECK(placement_text(Platform::gke, "v5p", 4) ==
        "google.com/tpu: cloud.google.com/gke-tpu-accelerator in tpu-v5p-slice; "
        "cloud.google.com/gke-tpu-topology in 2x2x1");
  CHECK(
      placement_text(Platform::gke, "google-tpu-v6e", 2) ==
      "a pod gets all chips of a host, and a host on GKE has 1, 4 or 8 of 'google-tpu-v6e', not 2");
  CHECK(placement_text(Platform::gke, "tpu-v3-slice", 4)
            .starts_with("GKE has 'tpu-v3-slice' only in slices of several hosts"));
}

TEST_CASE("EKS identifies cards by the autoscaler's label, and all others by the machine type") {
  const Placement l40s = placed(Platform::eks, "l40s", 4);
  CHECK(words_of(l40s.demands) == "k8s.amazonaws.com/accelerator in nvidia-l40s");
  CHECK(words_of(l40s.elsewhere) == "no k8s.amazonaws.com/accelerator");
  REQUIRE(l40s.owner_labels.size() == 1);
  CHECK(l40s.owner_labels.front().value == "nvidia-l40s");
  CHECK(l40s.machine_type == "g6e.12xlarge");
  const Placement h100 = placed(Platform::eks, "h100-80gb", 2);
  CHECK(words_of(h100.demands) == "node.kubernetes.io/instance-type in p5.48xlarge");
  CHECK(words_of(h100.elsewhere) ==
        "node.kubernetes.io/instance-type not in p5.4xlarge,p5.48xlarge");
  CHECK(h100.owner_labels.empty());
  CHECK(placement_text(Platform::eks, "a100-mig-1g.5gb") ==
        "nvidia.com/mig-1g.5gb: node.kubernetes.io/instance-type in p4d.24xlarge");
  CHECK(placement_text(Platform::eks, "h200", 8) ==
        "nvidia.com/gpu: node.kubernetes.io/instance-type in p5e.48xlarge,p5en.48xlarge");
  CHECK(placement_text(Platform::eks, "v100-32gb") ==
        "nvidia.com/gpu: node.kubernetes.io/instance-type in p3dn.24xlarge");
}

TEST_CASE("a pod gets any number of Inferentia, but only some numbers of Trainium") {
  CHECK(machine(Platform::eks, "inferentia2", 6) == "inf2.24xlarge");
  CHECK(placement_text(Platform::eks, "inferentia2", 5) ==
        "aws.amazon.com/neuron: node.kubernetes.io/instance-type in inf2.24xlarge,inf2.48xlarge");
  CHECK(machine(Platform::eks, "inferentia", 3) == "inf1.6xlarge");
  CHECK(placement_text(Platform::eks, "inferentia2", 13) ==
        "EKS has at most 12 of 'inferentia2' in one machine (inf2.48xlarge), not 13");
  CHECK(machine(Platform::eks, "trainium2", 4) == "trn2.48xlarge");
  CHECK(placement_text(Platform::eks, "trainium", 17) ==
        "EKS has at most 16 of 'trainium' in one machine (trn1.32xlarge), not 17");
  for (const Platform platform : {Platform::eks, Platform::karpenter}) {
    CHECK(placement_text(platform, "trainium", 2) ==
          "Neuron's scheduler gives a pod 1, 4, 8 or 16 of 'trainium', not 2");
    for (const std::int64_t count : {1, 4, 8, 16}) {
      CHECK(place(platform, wanted({"trainium"}, count)));
    }
    for (std::int64_t count = 1; count <= 12; ++count) {
      CHECK(place(platform, wanted({"inferentia2"}, count)));
    }
  }
  CHECK(placement_text(Platform::karpenter, "inferentia2", 6) ==
        "aws.amazon.com/neuron: karpenter.k8s.aws/instance-accelerator-name in inferentia2");
}

TEST_CASE("identifies sizes on Karpenter by memory, because one name covers several sizes") {
  CHECK(placement_text(Platform::karpenter, "a100") ==
        "nvidia.com/gpu: karpenter.k8s.aws/instance-gpu-name in a100");
  CHECK(placement_text(Platform::karpenter, "a100-80gb") ==
        "nvidia.com/gpu: karpenter.k8s.aws/instance-gpu-memory in 81920; "
        "karpenter.k8s.aws/instance-gpu-name in a100");
  CHECK(placement_text(Platform::karpenter, "l4") ==
        "nvidia.com/gpu: karpenter.k8s.aws/instance-gpu-name in l4");
  CHECK(placement_text(Platform::karpenter, "radeon-pro-v520") ==
        "amd.com/gpu: karpenter.k8s.aws/instance-gpu-name in radeon-pro-v520");
  CHECK(
      placement_text(Platform::karpenter, "H100-94GB").starts_with("Karpenter has no 'H100-94GB'"));
  CHECK(machine(Platform::karpenter, "v100-32gb") == "p3dn.24xlarge");
}

TEST_CASE("Karpenter launches no node for resources that it does not support") {
  CHECK(placement_text(Platform::karpenter, "a100-mig-1g.5gb")
            .starts_with("Karpenter launches no node for 'a100-mig-1g.5gb': it does not "
                         "support resource nvidia.com/mig-1g.5gb; it has nvidia-tesla-a100, "
                         "nvidia-a100, nvidia-a100-80gb"));
  CHECK(placement_text(Platform::karpenter, "qualcomm-ai100")
            .starts_with("Karpenter launches no node for 'qualcomm-ai100': it does not "
                         "support resource qualcomm.com/qaic"));
}

TEST_CASE("AKS identifies cards by all machine types that have enough of them") {
  CHECK(placement_text(Platform::aks, "t4") ==
        "nvidia.com/gpu: node.kubernetes.io/instance-type in Standard_NC4as_T4_v3,"
        "Standard_NC8as_T4_v3,Standard_NC16as_T4_v3,Standard_NC64as_T4_v3");
  const Placement a100 = placed(Platform::aks, "a100-80gb", 2);
  CHECK(words_of(a100.demands) ==
        "node.kubernetes.io/instance-type in Standard_NC48ads_A100_v4,Standard_NC96ads_A100_v4,"
        "Standard_ND96amsr_A100_v4");
  CHECK(a100.machine_type == "Standard_NC48ads_A100_v4");
  CHECK(placement_text(Platform::aks, "a100-80gb", 8) ==
        "nvidia.com/gpu: node.kubernetes.io/instance-type in Standard_ND96amsr_A100_v4");
  CHECK(placement_text(Platform::aks, "a100-80gb-mig-3g.40gb", 5) ==
        "nvidia.com/mig-3g.40gb: node.kubernetes.io/instance-type in Standard_NC96ads_A100_v4,"
        "Standard_ND96amsr_A100_v4");
  CHECK(placement_text(Platform::aks, wanted({"a10", "mi300x"})) ==
        "'a10' and 'mi300x' are requested by different resources");
  CHECK(placement_text(Platform::aks, wanted({"h100-80gb", "h100-94gb"}, 2)) ==
        "nvidia.com/gpu: node.kubernetes.io/instance-type in Standard_ND96isr_H100_v5,"
        "Standard_NC80adis_H100_v5");
  CHECK(words_of(a100.elsewhere) == "no kubernetes.azure.com/accelerator");
  CHECK(machine(Platform::aks, "t4", 3) == "Standard_NC64as_T4_v3");
  CHECK(machine(Platform::aks, "a100-40gb") == "Standard_ND96asr_v4");
  CHECK(machine(Platform::aks, "h100-94gb-mig-1g.12gb", 8) == "Standard_NC80adis_H100_v5");
  const Placement mi300x = placed(Platform::aks, "mi300x", 8);
  CHECK(mi300x.resource == "amd.com/gpu");
  CHECK(words_of(mi300x.elsewhere) ==
        "node.kubernetes.io/instance-type not in Standard_ND96isr_MI300X_v5");
}

TEST_CASE("own hardware is identified by the labels of its labellers") {
  CHECK(placement_text(Platform::gpu_operator, "t4") ==
        "nvidia.com/gpu: nvidia.com/gpu.product in Tesla-T4");
  CHECK(placement_text(Platform::gpu_operator, "a100-40gb") ==
        "nvidia.com/gpu: nvidia.com/gpu.product in NVIDIA-A100-SXM4-40GB,NVIDIA-A100-PCIE-40GB");
  CHECK(placement_text(Platform::gpu_operator, "mi325x") ==
        "amd.com/gpu: amd.com/gpu.product-name in AMD_Instinct_MI325_OAM");
  CHECK(placement_text(Platform::gpu_operator, "max-1550") ==
        "gpu.intel.com/i915: gpu.intel.com/product in Max_1550");
  CHECK(placement_text(Platform::gpu_operator, "tpu-v5e", 4)
            .starts_with("'tpu-v5e' exists only in the cloud of its vendor; gpu-operator has "));
  const Placement gaudi = placed(Platform::gpu_operator, "gaudi2", 8);
  CHECK(gaudi.resource == "habana.ai/gaudi");
  CHECK(words_of(gaudi.demands) == "accelerator in intel-gaudi2");
  CHECK(gaudi.owner_labels.size() == 1);
}

TEST_CASE("the owner of a card configures its slices in the GPU operator") {
  constexpr auto kName = "a100-80gb-mig-3g.40gb";
  for (const MigStrategy strategy : {MigStrategy::single, MigStrategy::mixed}) {
    PlacementRequest what = wanted({kName});
    what.mig_strategy = strategy;
    const auto placement = place(Platform::gpu_operator, what);
    REQUIRE(placement);
    REQUIRE(placement->owner_labels.size() == 1);
    CHECK(placement->owner_labels.front().key == "nvidia.com/mig.config");
    CHECK(placement->owner_labels.front().value == "all-3g.40gb");
  }
  CHECK(placed(Platform::gpu_operator, "a100-80gb").owner_labels.empty());
  CHECK(placed(Platform::gke, kName).owner_labels.empty());
}

TEST_CASE(
    "a GPU feature discovery name means exactly that card there, and any such card elsewhere") {
  const Placement own = placed(Platform::gpu_operator, "NVIDIA-A100-SXM4-40GB");
  CHECK(words_of(own.demands) == "nvidia.com/gpu.product in NVIDIA-A100-SXM4-40GB");
  CHECK(own.accelerators == std::vector<std::string>{"NVIDIA-A100-SXM4-40GB"});
  const Placement gke = placed(Platform::gke, "NVIDIA-A100-SXM4-40GB");
  CHECK(gke.accelerators == std::vector<std::string>{"nvidia-tesla-a100"});
}

TEST_CASE("the strategy decides whether label or resource identifies a slice") {
  constexpr auto kName = "NVIDIA-A100-80GB-PCIe-MIG-3g.40gb";
  CHECK(placement_text(Platform::gpu_operator, kName) ==
        "nvidia.com/gpu: nvidia.com/gpu.product in NVIDIA-A100-80GB-PCIe-MIG-3g.40gb");
  CHECK(of_slices(Platform::gpu_operator, kName, MigStrategy::mixed) ==
        "nvidia.com/mig-3g.40gb: nvidia.com/gpu.product in NVIDIA-A100-80GB-PCIe");
  CHECK(of_slices(Platform::aks, kName, MigStrategy::single) ==
        "with the single strategy no label on nodes of AKS distinguishes slices from whole cards");
  CHECK(of_slices(Platform::generic, kName, MigStrategy::mixed) ==
        "nvidia.com/mig-3g.40gb: accelerator in nvidia-a100-80gb");
  CHECK(of_slices(Platform::generic, kName, MigStrategy::single) ==
        "nvidia.com/gpu: accelerator in nvidia-a100-80gb-mig-3g.40gb");
}

TEST_CASE("rejects a MIG strategy without slices") {
  CHECK(of_slices(Platform::gpu_operator, "nvidia-l4", MigStrategy::mixed) ==
        "'nvidia-l4' is a whole card; a MIG strategy applies to slices only");
  CHECK(of_slices(Platform::generic, "mi300x", MigStrategy::single) ==
        "'mi300x' is a whole device; a MIG strategy applies to slices only");
  PlacementRequest one_slice = wanted({"l4", "a100-mig-1g.5gb"});
  one_slice.mig_strategy = MigStrategy::single;
  CHECK(place(Platform::gpu_operator, one_slice));
}

TEST_CASE("a name without size means the only size that the platform has") {
  CHECK(placement_text(Platform::gke, "H100") ==
        "nvidia.com/gpu: cloud.google.com/gke-accelerator in nvidia-h100-80gb");
  CHECK(placed(Platform::gke, "v100").accelerators.front() == "nvidia-tesla-v100");
  CHECK(placed(Platform::gke, "P100").accelerators.front() == "nvidia-tesla-p100");
  CHECK(placed(Platform::gke, "a100-mig-1g.10gb").accelerators.front() ==
        "nvidia-a100-80gb-mig-1g.10gb");
  CHECK(placed(Platform::karpenter, "h100").accelerators.front() == "nvidia-h100");
  CHECK(placement_text(Platform::aks, "H100") ==
        "'H100' exists in several sizes; on AKS choose nvidia-h100-80gb (80 GB) or "
        "nvidia-h100-94gb (94 GB)");
  CHECK(placement_text(Platform::gke, "gh200")
            .starts_with("GKE has no 'gh200'; it has nvidia-h100-80gb, "));
  CHECK(placement_text(Platform::karpenter, "a100-mig-1g.10gb")
            .starts_with("Karpenter launches no node for 'a100-mig-1g.10gb'"));
}

TEST_CASE("a label of the owner identifies the accelerator in a generic cluster") {
  const Placement placement = placed(Platform::generic, "NVIDIA-L4", 8);
  CHECK(words_of(placement.demands) == "accelerator in nvidia-l4");
  REQUIRE(placement.owner_labels.size() == 1);
  CHECK(placement.owner_labels.front().key == "accelerator");
  CHECK_FALSE(placement.machine_type);
}

TEST_CASE("taints are those of the platform, or of its documentation") {
  CHECK(taint(placed(Platform::gke, "l4")) == "nvidia.com/gpu=present:NoSchedule");
  CHECK(taint(placed(Platform::gke, "v5e")) == "google.com/tpu=present:NoSchedule");
  CHECK(taint(placed(Platform::karpenter, "l4")) == "nvidia.com/gpu=true:NoSchedule");
  CHECK(taint(placed(Platform::eks, "inferentia")) == "aws.amazon.com/neuron=true:NoSchedule");
  CHECK(taint(placed(Platform::aks, "t4")) == "sku=gpu:NoSchedule");
  CHECK(taint(placed(Platform::gpu_operator, "mi300x")) == "amd.com/gpu=present:NoSchedule");
}

TEST_CASE("a placement has the tolerations that admission does not add") {
  CHECK(toleration(placed(Platform::gke, "l4")) == "none");
  CHECK(toleration(placed(Platform::eks, "a100-mig-1g.5gb")) == "nvidia.com/gpu=");
  CHECK(toleration(placed(Platform::aks, "t4")) == "sku=gpu");
  CHECK(toleration(placed(Platform::gpu_operator, "l4")) == "nvidia.com/gpu=");
  CHECK(toleration(placed(Platform::gke, "gb200")) == "kubernetes.io/arch=arm64");
  CHECK(placed(Platform::aks, "t4").plugin_tolerations.front().key == "sku");
  const auto either = place(Platform::gke, wanted({"l4", "gb200", "gb300"}));
  REQUIRE(either);
  CHECK(toleration(*either) == "kubernetes.io/arch=arm64");
}

TEST_CASE("rejects more devices than the largest machine type has") {
  CHECK(placement_text(Platform::gke, "l4", 9) ==
        "GKE has at most 8 of 'l4' in one machine (g2-standard-96), not 9");
  CHECK(placement_text(Platform::gke, "t4", 5) ==
        "GKE has at most 4 of 't4' in one machine (an N1 machine), not 5");
  CHECK(placement_text(Platform::aks, "a10", 3) ==
        "AKS has at most 2 of 'a10' in one machine (Standard_NV72ads_A10_v5), not 3");
  CHECK(placement_text(Platform::eks, "a100-mig-3g.20gb", 17) ==
        "EKS has at most 16 of 'a100-mig-3g.20gb' in one machine (p4d.24xlarge), not 17");
  CHECK(place(Platform::gpu_operator, wanted({"l4"}, 20)));
}

TEST_CASE("combines several accelerators if one label identifies them") {
  CHECK(placement_text(Platform::gke, wanted({"l4", "a100-80gb", "nvidia-l4"})) ==
        "nvidia.com/gpu: cloud.google.com/gke-accelerator in nvidia-l4,nvidia-a100-80gb");
  CHECK(placement_text(Platform::karpenter, wanted({"l4", "a100-80gb"})) ==
        "nvidia.com/gpu: karpenter.k8s.aws/instance-gpu-memory in 22888,81920; "
        "karpenter.k8s.aws/instance-gpu-name in l4,a100");
  CHECK(placement_text(Platform::generic, wanted({"l4", "mi300x"})) ==
        "'l4' and 'mi300x' are requested by different resources");
  CHECK(placement_text(Platform::eks, wanted({"l4", "h100-80gb"})) ==
        "'l4' and 'h100-80gb' are identified by different labels");
  CHECK(placement_text(Platform::gke, wanted({"a100-mig-1g.5gb", "h100-80gb-mig-1g.10gb"})) ==
        "'a100-mig-1g.5gb' and 'h100-80gb-mig-1g.10gb' are identified by two labels each, "
        "so each needs its own term, and cnsched writes one term");
}

TEST_CASE("rejects pairs of name and memory that also match another card") {
  CHECK(placement_text(Platform::karpenter, wanted({"h100-80gb", "a100-40gb"})) ==
        "'h100-80gb' and 'a100-40gb' are identified by two labels each, so each needs its own "
        "term, and cnsched writes one term, which also matches nvidia-a100-80gb");
}

TEST_CASE("selects by memory where a label has it") {
  CHECK(larger(Platform::gpu_operator, {"l4"}, 20000) ==
        "nvidia.com/gpu: nvidia.com/gpu.memory > 20000; nvidia.com/gpu.product in NVIDIA-L4");
  CHECK(larger(Platform::karpenter, {"l4", "t4"}, 16000) ==
        "nvidia.com/gpu: karpenter.k8s.aws/instance-gpu-memory > 16000; "
        "karpenter.k8s.aws/instance-gpu-name in l4,t4");
  CHECK(larger(Platform::gpu_operator, {"l4", "t4"}, 16000) ==
        "'t4' has 15360 MiB of memory, not more than 16000");
  CHECK(larger(Platform::karpenter, {"radeon-pro-v520"}, 9000) ==
        "'radeon-pro-v520' has 8192 MiB of memory, not more than 9000");
  CHECK(larger(Platform::gke, {"l4"}, 20000) ==
        "no label on the nodes of GKE has the memory of their cards");
  CHECK(larger(Platform::gpu_operator, {"mi300x"}, 20000) ==
        "no label on nodes with 'mi300x' has the memory of their cards as a number");
}

TEST_CASE("lists alternatives, the nearest first") {
  CHECK(placement_text(Platform::gke, "l40s") ==
        "GKE has no 'l40s'; it has nvidia-l4, nvidia-tesla-a100, nvidia-a100-80gb, "
        "nvidia-h100-80gb, nvidia-tesla-p100, nvidia-tesla-t4, nvidia-tesla-v100, "
        "nvidia-tesla-k80 and 13 more");
}

TEST_CASE("throws for a request without accelerators") {
  CHECK_THROWS_AS(static_cast<void>(place(Platform::gke, wanted({}))), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(place(Platform::gke, wanted({"l4"}, 0))), std::logic_error);
}

}  // namespace cnsched::accelerators::platform_test
