// Only what is surely meant is told; everything else is left open, for a wrong guess would call a
// good selector impossible.
#include "core/accelerators/node_trait.h"

#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/k8s/label.h"

namespace cnsched::accelerators {

namespace {

struct Cloud {
  std::string_view prefix;
  std::string_view name;
};

/// Prefixes of labels that only one provider's nodes carry. k8s.amazonaws.com/accelerator is not
/// among them: it is a convention that people put on nodes of their own.
constexpr auto kClouds = std::to_array<Cloud>({{"cloud.google.com/", "GKE"},
                                               {"topology.gke.io/", "GKE"},
                                               {"eks.amazonaws.com/", "EKS"},
                                               {"karpenter.k8s.aws/", "EKS"},
                                               {"topology.k8s.aws/", "EKS"},
                                               {"alpha.eksctl.io/", "EKS"},
                                               {"kubernetes.azure.com/", "AKS"},
                                               {"karpenter.azure.com/", "AKS"}});

/// Whether the label's values are product names of cards as its maker spells them.
bool names_cards(std::string_view key) {
  const NodeLabel* label = find_label(key);
  return label != nullptr && label->meaning == LabelMeaning::product &&
         key != "k8s.amazonaws.com/accelerator";
}

std::string card_of(std::string_view key, std::string_view value) {
  const auto card = card_told_by(key, value);
  return card ? std::string(card->model->name) : std::string();
}

std::string card_of_memory(std::string_view key, std::string_view value) {
  const auto card = card_told_by(key, value);
  return card && card->gigabytes != 0 ? name_of(*card) : std::string();
}

/// Several vendors' cards share these labels: only the value tells.
bool is_shared(std::string_view key) {
  return key.find("/instance-gpu-") != std::string_view::npos ||
         key.find("/instance-accelerator-") != std::string_view::npos ||
         key == "k8s.amazonaws.com/accelerator" || key == "kubernetes.azure.com/accelerator";
}

/// Intel's are left open, for many a server has an Intel GPU on its processor beside its cards.
std::string vendor_of(std::string_view key, std::string_view value) {
  if (!card_of(key, value).empty()) return std::string(name_of(Vendor::nvidia));
  if (is_shared(key)) {
    if (value.starts_with("nvidia")) return std::string(name_of(Vendor::nvidia));
    return value.starts_with("amd") || value.starts_with("radeon")
               ? std::string(name_of(Vendor::amd))
               : std::string();
  }
  const Vendor* vendor = vendor_told_by(key, value);
  const bool open = vendor == nullptr || *vendor == Vendor::intel || *vendor == Vendor::other;
  return open ? std::string() : std::string(name_of(*vendor));
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

}  // namespace

std::optional<Card> card_told_by(std::string_view key, std::string_view value) {
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

std::vector<std::string> told_by(const k8s::Requirement& r, Trait trait) {
  if (!r.asks_for_label()) return {};
  std::vector<std::string> told;
  if (r.op != "In") {
    told.push_back(trait_of(r.key, "", trait));
  } else {
    for (const yaml::Node* value : r.values) {
      if (!value->is_scalar() || k8s::is_placeholder(value->text())) return {};
      std::string one = trait_of(r.key, value->text(), trait);
      if (one.empty()) return {};
      if (std::ranges::find(told, one) == told.end()) told.push_back(std::move(one));
    }
  }
  if (!told.empty() && told.front().empty()) return {};
  return told;
}

bool differ_in(const k8s::Requirement& a, const k8s::Requirement& b, Trait trait) {
  const auto first = told_by(a, trait);
  const auto second = told_by(b, trait);
  const auto in_second = [&](const std::string& told) {
    return std::ranges::find(second, told) != second.end();
  };
  return !first.empty() && !second.empty() && std::ranges::none_of(first, in_second);
}

}  // namespace cnsched::accelerators
