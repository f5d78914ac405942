#include "core/accelerators/node_trait.h"

#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/k8s/exclusion.h"
#include "core/k8s/label.h"

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
      if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
    }
  }
  if (!values.empty() && values.front().empty()) return {};
  return values;
}

bool differ_in(const k8s::Requirement& a, const k8s::Requirement& b, Trait trait) {
  const auto first = trait_values(a, trait);
  const auto second = trait_values(b, trait);
  const auto in_second = [&](const std::string& value) {
    return std::ranges::find(second, value) != second.end();
  };
  return !first.empty() && !second.empty() && std::ranges::none_of(first, in_second);
}

bool is_provider_taint(std::string_view key, std::string_view value, const k8s::PodSpec& pod) {
  return (key == "nvidia.com/gpu" || key == "google.com/tpu") && value == "present" &&
         runs_on_gke_only(pod);
}

}  // namespace cnsched::accelerators
