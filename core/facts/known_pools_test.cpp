#include "core/facts/known_pools.h"

#include <deque>

#include "core/k8s/selector.h"
#include "testdata/support.h"

namespace cnsched::facts::known_pools_test {

TEST_CASE("known pools are found by taint, by value and by label, in the order of their names") {
  const Parsed parsed(
      "{kind: List, items: ["
      "{apiVersion: v1, kind: Node, metadata: {name: b, labels: {nvidia.com/gpu.present: 'true', "
      "pool: x}}, spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}}, "
      "{apiVersion: v1, kind: Node, metadata: {name: a, labels: {nvidia.com/gpu.present: 'true', "
      "pool: x}}, spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}}, "
      "{apiVersion: v1, kind: Node, metadata: {name: c, labels: {nvidia.com/gpu.present: 'true'}}, "
      "spec: {taints: [{key: dedicated, value: y, effect: PreferNoSchedule}]}}, "
      "{apiVersion: v1, kind: Node, metadata: {name: d, labels: {pool: y}}}]}");
  std::vector<NodePool> pools;
  for (const k8s::Object& object : parsed.objects) pools.push_back(node_pools_in(object).at(0));
  const KnownPools known(pools);

  std::string names;
  for (const auto& pool : known.with_accelerators()) names += pool.pool->name;
  CHECK(names == "cab");
  CHECK(known.with_accelerators().front().first_taint == "");
  CHECK(known.with_accelerators().back().first_taint == "nvidia.com/gpu=present:NoSchedule");
  CHECK(known.carries("nvidia.com/gpu", "present"));
  CHECK(known.carries("dedicated", "y"));
  CHECK_FALSE(known.carries("nvidia.com/gpu", "true"));
  CHECK(known.tainted_with("nvidia.com/gpu").size() == 2);
  CHECK(known.tainted_with("nvidia.com/gpu").front().pool->name == "a");
  CHECK(known.tainted_with("dedicated").empty());
  CHECK(known.labelled({"pool", "x"}).size() == 2);
  CHECK(known.labelled({"pool", "z"}).empty());
}

}  // namespace cnsched::facts::known_pools_test

namespace cnsched::facts::known_nodes_test {

/// A node whose labels should not go together, and that offers two devices.
struct Odd {
  Parsed parsed{
      "{apiVersion: v1, kind: Node, metadata: {name: odd, labels: {product: Tesla-T4, pool: l4}}, "
      "status: {allocatable: {nvidia.com/gpu: 2}}}"};
  std::vector<NodePool> pools = node_pools_in(parsed.object());
};

TEST_CASE("a known node with both labels, or with label and device, is found") {
  const Odd node;
  const accelerators::KnownNodes known = known_nodes(node.pools);
  const Parsed selector("{product: Tesla-T4, pool: l4, zone: a}");
  const auto labels = k8s::labels_in(selector.root());
  const auto demand = [&](std::size_t i) { return k8s::requirement_of(labels[i]); };
  CHECK(known.any(demand(0), demand(1)));
  CHECK_FALSE(known.any(demand(0), demand(2)));
  CHECK(known.any(demand(0), accelerators::DeviceRequest{"nvidia.com/gpu", 2, nullptr}));
  CHECK_FALSE(known.any(demand(0), accelerators::DeviceRequest{"nvidia.com/gpu", 3, nullptr}));
  CHECK_FALSE(known.any(demand(0), accelerators::DeviceRequest{"amd.com/gpu", 1, nullptr}));
  CHECK_FALSE(known.any(demand(2), accelerators::DeviceRequest{"nvidia.com/gpu", 1, nullptr}));
}

TEST_CASE("finds nothing without nodes") {
  const Parsed selector("{product: Tesla-T4}");
  const auto demand = k8s::requirement_of(k8s::labels_in(selector.root()).front());
  const std::vector<NodePool> none;
  CHECK_FALSE(known_nodes(none).any(demand, demand));
}

TEST_CASE("stops searching after a few questions") {
  const Odd node;
  const accelerators::KnownNodes known = known_nodes(node.pools);
  const Parsed selector("{product: Tesla-T4}");
  const auto demand = k8s::requirement_of(k8s::labels_in(selector.root()).front());
  int found = 0;
  for (int i = 0; i < 1000; ++i) found += known.any(demand, demand) ? 1 : 0;
  CHECK(found > 0);
  CHECK(found < 1000);
}

}  // namespace cnsched::facts::known_nodes_test

namespace cnsched::facts::pool_platform_test {

bool is_helped(const std::string& manifest) {
  const Parsed parsed(manifest);
  const auto pools = node_pools_in(parsed.object());
  REQUIRE(pools.size() == 1);
  return has_extended_resource_toleration(pools.front());
}

bool is_node_helped(const std::string& label) {
  return is_helped("{apiVersion: v1, kind: Node, metadata: {name: a, labels: {" + label + "}}}");
}

bool may_get_some(const std::string& requirements, const std::string& kind = "NodePool") {
  const Parsed parsed("{apiVersion: karpenter.sh/v1, kind: " + kind +
                      ", metadata: {name: a}, spec: {template: {spec: {requirements: [" +
                      requirements + "]}}}}");
  const auto pools = node_pools_in(parsed.object());
  REQUIRE(pools.size() == 1);
  return may_get_accelerators(pools.front());
}

TEST_CASE("lets Karpenter choose any machine that the requirements admit") {
  const std::string category = "{key: karpenter.k8s.aws/instance-category, operator: ";
  CHECK(may_get_some(""));
  CHECK(may_get_some(category + "In, values: [g, c, m]}"));
  CHECK(may_get_some(category + "NotIn, values: [t]}"));
  CHECK(may_get_some("{key: karpenter.k8s.aws/instance-family, operator: In, values: [m5, g5]}"));
  CHECK(may_get_some("{key: kubernetes.io/arch, operator: In, values: [amd64]}"));
  CHECK(may_get_some(
      "{key: karpenter.k8s.alibabacloud/instance-family, operator: In, values: [ecs.c7]}"));
  CHECK_FALSE(may_get_some(category + "In, values: [c, m]}"));
  CHECK_FALSE(may_get_some(category + "In, values: [g]}"));  // it certainly has some
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

}  // namespace cnsched::facts::pool_platform_test

namespace cnsched::facts::pool_requirements_test {

TEST_CASE("treats a missing label as absent on a Node, as unknown in a pool") {
  const Parsed spec("nodeSelector: {pool: gpu}");
  const k8s::NodeRequirements required{k8s::PodSpec(spec.root())};
  const auto meets = [&](const std::string& manifest) {
    const Parsed parsed(manifest);
    return node_pools_in(parsed.object()).at(0).meets(required);
  };
  CHECK(meets("{apiVersion: v1, kind: Node, metadata: {name: a}}") == Truth::no);
  CHECK(meets("{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: a}}") ==
        Truth::unknown);
}

TEST_CASE("ignores taints that are temporary, advisory or tolerated") {
  const Parsed parsed(
      "{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {taints: ["
      "{key: nvidia.com/gpu, value: present, effect: NoSchedule}, "
      "{key: dedicated, effect: NoExecute}, {key: slow, effect: PreferNoSchedule}, "
      "{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}}");
  const auto pools = node_pools_in(parsed.object());
  const k8s::Toleration exists{nullptr, "nvidia.com/gpu", "Exists", "", "NoSchedule"};
  CHECK(repelling_taints(pools.at(0), {}).size() == 2);
  CHECK(repelling_taints(pools.at(0), {exists}).at(0).key == "dedicated");
}

}  // namespace cnsched::facts::pool_requirements_test
