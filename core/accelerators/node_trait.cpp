#include "core/accelerators/node_trait.h"

#include <algorithm>
#include <array>

#include "core/accelerators/catalogue.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/selector.h"

namespace cnsched::accelerators {

namespace {

/// Prefixes of labels that only the nodes of one provider have. Owners of nodes set
/// k8s.amazonaws.com/accelerator, but only AWS's autoscaler reads it [A38].
constexpr auto kClouds = std::to_array<Cloud>({{"cloud.google.com/", "GKE"},
                                               {"topology.gke.io/", "GKE"},
                                               {"eks.amazonaws.com/", "EKS"},
                                               {"karpenter.k8s.aws/", "EKS"},
                                               {"topology.k8s.aws/", "EKS"},
                                               {"alpha.eksctl.io/", "EKS"},
                                               {"k8s.amazonaws.com/", "EKS"},
                                               {"kubernetes.azure.com/", "AKS"},
                                               {"karpenter.azure.com/", "AKS"}});

/// Whether the values of the label are product names of cards, in the spelling of one tool.
bool names_cards(std::string_view key) {
  const NodeLabel* label = find_label(key);
  return label != nullptr && label->meaning == LabelMeaning::product &&
         key != "k8s.amazonaws.com/accelerator";
}

std::string card_of(std::string_view key, std::string_view value) {
  const auto card = card_from_label(key, value);
  return card ? std::string(card->model->name) : std::string();
}

std::string card_of_memory(std::string_view key, std::string_view value) {
  const auto card = card_from_label(key, value);
  return card && card->gigabytes != 0 ? name_of(*card) : std::string();
}

/// Whether cards of several vendors have the label, so that only its value names the vendor.
bool is_shared(std::string_view key) {
  return key.find("/instance-gpu-") != std::string_view::npos ||
         key.find("/instance-accelerator-") != std::string_view::npos ||
         key == "k8s.amazonaws.com/accelerator" || key == "kubernetes.azure.com/accelerator";
}

/// Not Intel: many servers have an Intel GPU on the processor beside their cards.
std::string vendor_of(std::string_view key, std::string_view value) {
  if (!card_of(key, value).empty()) return std::string(name_of(Vendor::nvidia));
  if (is_shared(key)) {
    if (value.starts_with("nvidia")) return std::string(name_of(Vendor::nvidia));
    return value.starts_with("amd") || value.starts_with("radeon")
               ? std::string(name_of(Vendor::amd))
               : std::string();
  }
  const Vendor* vendor = vendor_from_label(key, value);
  const bool is_unclear = vendor == nullptr || *vendor == Vendor::intel || *vendor == Vendor::other;
  return is_unclear ? std::string() : std::string(name_of(*vendor));
}

std::string cloud_of(std::string_view key) {
  const auto* cloud =
      std::ranges::find_if(kClouds, [&](const Cloud& c) { return key.starts_with(c.prefix); });
  return cloud == kClouds.end() ? std::string() : std::string(cloud->name);
}

std::string trait_of(std::string_view key, std::string_view value, Trait trait) {
  switch (trait) {
    case Trait::card:
      return card_of(key, value);
    case Trait::card_of_memory:
      return card_of_memory(key, value);
    case Trait::vendor:
      return vendor_of(key, value);
    case Trait::cloud:
      return cloud_of(key);
  }
  return {};
}

bool is_of_gke(const k8s::Requirement& r) {
  const auto clouds = trait_values(r, Trait::cloud);
  return clouds.size() == 1 && clouds.front() == "GKE";
}

bool runs_on_gke_only(const k8s::PodSpec& pod) {
  const auto selector = pod.node_selector();
  if (std::ranges::any_of(selector, is_of_gke, k8s::requirement_of)) return true;
  const auto terms = pod.required_terms();
  return !terms.empty() && std::ranges::all_of(terms, [](const k8s::NodeSelectorTerm& term) {
    return std::ranges::any_of(term.expressions, is_of_gke);
  });
}

/// Values of the labels [A30, A39, A44].
constexpr auto kExamples = std::to_array<LabelExample>({
    {"amd.com/gpu.vram", "64G"},
    {"beta.amd.com/gpu.vram", "64G"},
    {"amd.com/gpu.product-name", "AMD_Instinct_MI300X_OAM"},
    {"nvidia.com/gpu.product", "NVIDIA-L4"},
    {"nvidia.com/gpu.family", "ampere"},
    {"nvidia.com/gpu.present", "true"},
    {"nvidia.com/cuda.driver-version.full", "550.54.15"},
    {"nvidia.com/cuda.runtime-version.full", "12.4"},
    {"cloud.google.com/gke-accelerator", "nvidia-l4"},
    {"cloud.google.com/gke-tpu-accelerator", "tpu-v5-lite-podslice"},
    {"cloud.google.com/gke-tpu-topology", "2x4"},
    {"cloud.google.com/gke-gpu-partition-size", "1g.5gb"},
    {"karpenter.k8s.aws/instance-gpu-name", "a10g"},
    {"eks.amazonaws.com/instance-gpu-name", "a10g"},
    {"kubernetes.azure.com/accelerator", "nvidia"},
    {"node.kubernetes.io/instance-type", "g5.xlarge"},
    {"beta.kubernetes.io/instance-type", "g5.xlarge"},
    {"kubernetes.io/arch", "amd64"},
    {"kubernetes.io/os", "linux"},
});

}  // namespace

std::span<const Cloud> clouds() { return kClouds; }

std::optional<Card> card_from_label(std::string_view key, std::string_view value) {
  return names_cards(key) ? card_in(value) : std::nullopt;
}

std::string_view name_of(Trait trait) {
  switch (trait) {
    case Trait::card:
    case Trait::card_of_memory:
      return "card";
    case Trait::vendor:
      return "vendor";
    case Trait::cloud:
      return "cloud provider";
  }
  return {};
}

std::vector<std::string> trait_values(const k8s::Requirement& r, Trait trait) {
  if (!r.requires_label()) return {};
  std::vector<std::string> values;
  if (r.op != "In") {
    values.push_back(trait_of(r.key, "", trait));
  } else {
    for (const yaml::Node* node : r.values) {
      if (!node->is_scalar() || k8s::is_placeholder(node->text())) return {};
      std::string value = trait_of(r.key, node->text(), trait);
      if (value.empty()) return {};
      if (!is_one_of(value, values)) values.push_back(std::move(value));
    }
  }
  if (!values.empty() && values.front().empty()) return {};
  return values;
}

bool differ_in(const k8s::Requirement& a, const k8s::Requirement& b, Trait trait) {
  const auto first = trait_values(a, trait);
  const auto second = trait_values(b, trait);
  const auto in_second = [&](const std::string& value) { return is_one_of(value, second); };
  return !first.empty() && !second.empty() && std::ranges::none_of(first, in_second);
}

bool is_provider_taint(std::string_view key, std::string_view value, const k8s::PodSpec& pod) {
  return (key == "nvidia.com/gpu" || key == "google.com/tpu") && value == "present" &&
         runs_on_gke_only(pod);
}

std::string_view example_without_number(std::string_view label) {
  const auto* found = std::ranges::find(kExamples, label, &LabelExample::label);
  return found == kExamples.end() ? std::string_view() : found->value;
}

std::span<const LabelExample> labels_without_numbers() { return kExamples; }

bool counts_mebibytes(std::string_view label) {
  if (label.starts_with("nvidia.com/mig-")) return label.ends_with(".memory");
  return label == "nvidia.com/gpu.memory" || label == "karpenter.k8s.aws/instance-gpu-memory" ||
         label == "eks.amazonaws.com/instance-gpu-memory";
}

std::int64_t just_below_cards_of(std::int64_t gigabytes) {
  constexpr std::int64_t kLeastPerGigabyte = 950;
  return gigabytes * kLeastPerGigabyte;
}

std::optional<MemoryAmount> memory_amount_in(std::string_view text) {
  constexpr std::int64_t kMaxAmount = 1'000'000'000;
  MemoryAmount amount;
  amount.number = take_number<std::int64_t>(text).value_or(0);
  if (amount.number <= 0 || amount.number > kMaxAmount) return std::nullopt;
  const std::string unit = lower(text);
  amount.in_gigabytes = unit == "g" || unit == "gi" || unit == "gb" || unit == "gib";
  const bool mebibytes = unit == "m" || unit == "mi" || unit == "mb" || unit == "mib";
  return amount.in_gigabytes || mebibytes ? std::optional(amount) : std::nullopt;
}

}  // namespace cnsched::accelerators
