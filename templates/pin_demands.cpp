#include "templates/pin_demands.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/label_conflict.h"
#include "core/accelerators/node_trait.h"
#include "core/k8s/label.h"
#include "core/k8s/selector.h"

namespace cnsched::templates {

namespace {

using k8s::Requirement;

using Labels = std::set<std::string, std::less<>>;

Labels find_placement_labels(accelerators::Platform platform) {
  Labels labels;
  for (const accelerators::Product& product : accelerators::products()) {
    const auto placement = accelerators::place(platform, {.accelerators = {product.name}});
    if (!placement) continue;
    for (const accelerators::LabelDemand& demand : placement->demands) {
      if (accelerators::find_label(demand.key) != nullptr) labels.insert(demand.key);
    }
  }
  return labels;
}

/// The labels that distinguish the platform's accelerators: a pod for one accelerator has no other
/// value of these.
const Labels& placement_labels(accelerators::Platform platform) {
  static const std::map<accelerators::Platform, Labels> kLabels = [] {
    std::map<accelerators::Platform, Labels> all;
    for (const accelerators::Platform each : accelerators::platforms()) {
      all.emplace(each, find_placement_labels(each));
    }
    return all;
  }();
  return kLabels.at(platform);
}

/// The provider whose nodes the platform describes; empty if any provider may.
std::string_view cloud_of(accelerators::Platform platform) {
  switch (platform) {
    case accelerators::Platform::gke:
      return "GKE";
    case accelerators::Platform::eks:
    case accelerators::Platform::karpenter:
      return "EKS";
    case accelerators::Platform::aks:
      return "AKS";
    default:
      return {};
  }
}

/// Whether the label exists only on nodes of another provider.
bool is_of_other_cloud(const Requirement& own, accelerators::Platform platform) {
  const auto clouds = accelerators::trait_values(own, accelerators::Trait::cloud);
  const std::string_view cloud = cloud_of(platform);
  return !cloud.empty() && !clouds.empty() && std::ranges::find(clouds, cloud) == clouds.end();
}

/// Whether no node satisfies both.
bool contradict(const Requirement& own, const Requirement& demand) {
  if (k8s::current_node_label(own.key) == k8s::current_node_label(demand.key)) {
    return k8s::exclude_each_other(own, demand);
  }
  return accelerators::conflict_between_labels(own, demand).has_value() ||
         std::ranges::any_of(accelerators::kTraits, [&](accelerators::Trait trait) {
           return accelerators::differ_in(own, demand, trait);
         });
}

}  // namespace

PinDemands::PinDemands(const Values& values)
    : platform_(*accelerators::platform_named(value_of(values, "platform").text())),
      all_(k8s::requirements_in(value_of(values, "accelerator.matchExpressions"))) {}

bool PinDemands::exclude(const Requirement& own) const {
  const bool is_demanded = std::ranges::find(all_, own.key, &Requirement::key) != all_.end();
  const bool is_of_other_accelerator =
      !is_demanded && own.requires_label() && placement_labels(platform_).contains(own.key);
  return is_of_other_accelerator || is_of_other_cloud(own, platform_) ||
         std::ranges::any_of(all_,
                             [&](const Requirement& demand) { return contradict(own, demand); });
}

bool PinDemands::set(std::string_view key) const {
  return std::ranges::any_of(
      all_, [&](const Requirement& demand) { return demand.key == key && demand.op == "In"; });
}

}  // namespace cnsched::templates
