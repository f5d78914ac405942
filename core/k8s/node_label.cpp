#include "core/k8s/node_label.h"

#include <algorithm>
#include <array>

namespace cnsched::k8s {

namespace {

using Owner = DeprecatedNodeLabel::Owner;

constexpr auto kDeprecated = std::to_array<DeprecatedNodeLabel>({
    {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
    {"beta.kubernetes.io/os", "kubernetes.io/os"},
    {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane", Owner::kubernetes,
     false},
    {"agentpool", "kubernetes.azure.com/agentpool", Owner::aks},
    {"accelerator", "kubernetes.azure.com/accelerator", Owner::aks},
    {"storageprofile", "kubernetes.azure.com/storageprofile", Owner::aks},
    {"storagetier", "kubernetes.azure.com/storagetier", Owner::aks},
    {"node-role.kubernetes.io/agent", "", Owner::aks, false},
    {"kubernetes.io/role", "", Owner::aks, false},
});

}  // namespace

std::span<const DeprecatedNodeLabel> deprecated_node_labels() { return kDeprecated; }

const DeprecatedNodeLabel* find_deprecated_node_label(std::string_view key) {
  const auto* found = std::ranges::find(kDeprecated, key, &DeprecatedNodeLabel::key);
  return found == kDeprecated.end() ? nullptr : found;
}

std::string_view current_node_label(std::string_view key) {
  const DeprecatedNodeLabel* label = find_deprecated_node_label(key);
  const bool renamed =
      label != nullptr && label->owner == Owner::kubernetes && label->beside_current;
  return renamed ? label->current : key;
}

bool is_instance_type_label(std::string_view key) {
  return current_node_label(key) == "node.kubernetes.io/instance-type";
}

bool is_instance_family_label(std::string_view key) {
  return key == "karpenter.k8s.aws/instance-family" || key == "eks.amazonaws.com/instance-family";
}

bool is_instance_label(std::string_view key) {
  return is_instance_type_label(key) || is_instance_family_label(key) ||
         key == "karpenter.k8s.aws/instance-category" ||
         key == "eks.amazonaws.com/instance-category";
}

}  // namespace cnsched::k8s
