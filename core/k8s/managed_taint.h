#pragma once

#include <string_view>

namespace cnsched::k8s {

/// Whether a taint of this key comes and goes with the state of its node: cordoned, failing, not
/// ready yet, about to be removed. Source: k8s.io/api core/v1/well_known_taints.go,
/// cluster-autoscaler pkg utils/taints, karpenter.sh.
bool is_passing_taint(std::string_view key);

/// Whether it keeps pods off the control plane.
bool is_control_plane_taint(std::string_view key);

/// Whether a taint or label of this key keeps nodes for others: the control plane, or one of
/// KAITO's workspaces.
bool sets_nodes_aside(std::string_view key);
/// Whether a controller puts it on and knows about it: a passing one, one of Kubernetes' own, one
/// of KAITO's workspaces.
bool is_managed_taint(std::string_view key);

/// Whether AKS sets it on nodes of its own accord, so that nobody can choose another: spot pools.
bool is_set_by_aks(std::string_view key);

}  // namespace cnsched::k8s
