#pragma once

#include <string_view>

namespace cnsched::k8s {

/// Whether a taint with this key reflects the state of its node: cordoned, failing, not ready yet,
/// about to be removed [P24]. Source: k8s.io/api core/v1/well_known_taints.go,
/// cluster-autoscaler pkg utils/taints, karpenter.sh.
bool is_node_state_taint(std::string_view key);

/// Whether it is a taint of the control plane.
bool is_control_plane_taint(std::string_view key);

/// Whether a taint or label with this key reserves nodes: for the control plane or for a KAITO
/// workspace.
bool reserves_nodes(std::string_view key);
/// Whether a controller sets the taint: one that reflects the node's state, another one of
/// Kubernetes or one of KAITO.
bool is_managed_taint(std::string_view key);

/// Whether AKS sets the taint, as on spot pools, so that users cannot choose another one.
bool is_set_by_aks(std::string_view key);

}  // namespace cnsched::k8s
