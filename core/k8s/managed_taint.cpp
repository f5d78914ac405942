#include "core/k8s/managed_taint.h"

namespace cnsched::k8s {

bool is_node_state_taint(std::string_view key) {
  return key.starts_with("node.kubernetes.io/") ||
         key.starts_with("node.cloudprovider.kubernetes.io/") || key.starts_with("karpenter.sh/") ||
         key.ends_with("/agent-not-ready") || key == "ToBeDeletedByClusterAutoscaler" ||
         key == "DeletionCandidateOfClusterAutoscaler";
}

bool is_control_plane_taint(std::string_view key) {
  return key == "node-role.kubernetes.io/control-plane" || key == "node-role.kubernetes.io/master";
}

bool reserves_nodes(std::string_view key) {
  return is_control_plane_taint(key) || key.find("kaito.sh/") != std::string_view::npos;
}

bool is_managed_taint(std::string_view key) {
  if (key.starts_with("node-role.kubernetes.io/")) return is_control_plane_taint(key);
  return is_node_state_taint(key) || key.find("kubernetes.io/") != std::string_view::npos ||
         key.starts_with("karpenter.kaito.sh/") || key.starts_with("kaito.sh/") ||
         key == "CriticalAddonsOnly";
}

bool is_set_by_aks(std::string_view key) { return key.starts_with("kubernetes.azure.com/"); }

}  // namespace cnsched::k8s
