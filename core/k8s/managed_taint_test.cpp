#include "core/k8s/managed_taint.h"
#include "testdata/support.h"

namespace cnsched::k8s::managed_taint_test {

TEST_CASE("recognizes taints that reflect a node's state") {
  CHECK(is_node_state_taint("node.kubernetes.io/unschedulable"));
  CHECK(is_node_state_taint("node.cloudprovider.kubernetes.io/uninitialized"));
  CHECK(is_node_state_taint("karpenter.sh/disrupted"));
  CHECK(is_node_state_taint("node.cilium.io/agent-not-ready"));
  CHECK(is_node_state_taint("ToBeDeletedByClusterAutoscaler"));
  CHECK_FALSE(is_node_state_taint("node-role.kubernetes.io/control-plane"));
  CHECK_FALSE(is_node_state_taint("kubernetes.io/arch"));
  CHECK_FALSE(is_node_state_taint("nvidia.com/gpu"));
}

TEST_CASE("recognizes taints that a controller sets") {
  CHECK(is_managed_taint("node.kubernetes.io/not-ready"));
  CHECK(is_managed_taint("node-role.kubernetes.io/master"));
  CHECK(is_managed_taint("kubernetes.io/arch"));
  CHECK(is_managed_taint("kaito.sh/workspace"));
  CHECK(is_managed_taint("CriticalAddonsOnly"));
  CHECK_FALSE(is_managed_taint("node-role.kubernetes.io/gpu"));
  CHECK_FALSE(is_managed_taint("dedicated"));
}

TEST_CASE("recognizes taints that AKS sets") {
  CHECK(is_set_by_aks("kubernetes.azure.com/scalesetpriority"));
  CHECK_FALSE(is_set_by_aks("sku"));
}

TEST_CASE("recognizes both control-plane taints") {
  CHECK(is_control_plane_taint("node-role.kubernetes.io/control-plane"));
  CHECK(is_control_plane_taint("node-role.kubernetes.io/master"));
  CHECK_FALSE(is_control_plane_taint("node-role.kubernetes.io/gpu"));
}

}  // namespace cnsched::k8s::managed_taint_test
