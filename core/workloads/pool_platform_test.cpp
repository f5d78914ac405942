#include "core/workloads/pool_platform.h"
#include "testdata/support.h"

namespace cnsched::pool_platform_test {

bool is_helped(const std::string& manifest) {
  const Parsed parsed(manifest);
  return has_extended_resource_toleration(node_pools_in(parsed.object()).at(0));
}

bool is_node_helped(const std::string& label) {
  return is_helped("{apiVersion: v1, kind: Node, metadata: {name: a, labels: {" + label + "}}}");
}

bool may_get_some(const std::string& requirements, const std::string& kind = "NodePool") {
  const Parsed parsed("{apiVersion: karpenter.sh/v1, kind: " + kind +
                      ", metadata: {name: a}, spec: {template: {spec: {requirements: [" +
                      requirements + "]}}}}");
  return may_get_accelerators(node_pools_in(parsed.object()).at(0));
}

TEST_CASE("lets Karpenter choose any machine that the requirements admit") {
  const std::string category = "{key: karpenter.k8s.aws/instance-category, operator: ";
  CHECK(may_get_some(""));
  CHECK(may_get_some(category + "In, values: [g, c, m]}"));
  CHECK(may_get_some(category + "NotIn, values: [t]}"));
  CHECK(may_get_some("{key: karpenter.k8s.aws/instance-family, operator: In, values: [m5, g5]}"));
  CHECK(may_get_some("{key: kubernetes.io/arch, operator: In, values: [amd64]}"));
  CHECK_FALSE(may_get_some(category + "In, values: [c, m]}"));
  CHECK_FALSE(may_get_some(category + "In, values: [g]}"));  // it surely has some
  CHECK_FALSE(may_get_some("", "Provisioner"));
}

TEST_CASE("recognises nodes of GKE, EKS and AKS by their labels") {
  CHECK(is_node_helped("cloud.google.com/gke-nodepool: gpu"));
  CHECK(is_node_helped("eks.amazonaws.com/nodegroup: gpu"));
  CHECK(is_node_helped("alpha.eksctl.io/nodegroup-name: gpu"));
  CHECK(is_node_helped("kubernetes.azure.com/agentpool: gpu"));
  CHECK_FALSE(is_node_helped("karpenter.k8s.aws/instance-family: g6"));
  CHECK_FALSE(is_node_helped("nvidia.com/gpu.product: NVIDIA-L4"));
}

TEST_CASE("recognises pools of GKE, EKS and AKS by their kinds") {
  CHECK(
      is_helped("{apiVersion: eksctl.io/v1alpha5, kind: ClusterConfig, metadata: {name: a}, "
                "managedNodeGroups: [{name: gpu}]}"));
  const std::string karpenter =
      "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: a}, spec: {template: {spec: ";
  CHECK(is_helped(karpenter + "{nodeClassRef: {group: eks.amazonaws.com}}}}}"));
  CHECK(is_helped(karpenter + "{requirements: [{key: eks.amazonaws.com/instance-gpu-name, "
                              "operator: In, values: [l4, t4]}]}}}}"));
  CHECK_FALSE(is_helped(karpenter + "{requirements: [{key: karpenter.k8s.aws/instance-family, "
                                    "operator: In, values: [g6]}]}}}}"));
  CHECK_FALSE(
      is_helped("{apiVersion: machine.openshift.io/v1beta1, kind: MachineSet, metadata: "
                "{name: a}, spec: {template: {spec: {}}}}"));
}

}  // namespace cnsched::pool_platform_test
