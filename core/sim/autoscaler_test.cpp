#include "core/sim/conclusion.h"
#include "testdata/scenario.h"

namespace cnsched::sim::autoscaler_test {

/// A NodePool of Karpenter with these requirements, as YAML between brackets, and further fields of
/// its spec.
std::string karpenter_pool(std::string_view name, std::string_view requirements,
                           std::string_view spec = "", std::string_view template_spec = "") {
  return fmt::format(
      "---\n{{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {{name: {}}}, spec: "
      "{{template: {{spec: {{requirements: [{}]{}{}}}}}{}{}}}}}\n",
      name, requirements, template_spec.empty() ? "" : ", ", template_spec,
      spec.empty() ? "" : ", ", spec);
}

std::string in(std::string_view key, std::string_view values) {
  return fmt::format("{{key: {}, operator: In, values: [{}]}}", key, values);
}

constexpr std::string_view kGpuName = "karpenter.k8s.aws/instance-gpu-name";
constexpr std::string_view kFamily = "karpenter.k8s.aws/instance-family";

/// A Pod that requests so many GPUs, and further fields of its spec.
std::string gpu_pod(int gpus, std::string_view spec = "", std::string_view more = "") {
  return pod(fmt::format(
      "containers: [{{name: c, image: i, resources: {{limits: {{nvidia.com/gpu: {}{}{}}}}}}}]{}{}",
      gpus, more.empty() ? "" : ", ", more, spec.empty() ? "" : ", ", spec));
}

/// A line for each pool: "gpu: ok g6.xlarge", with the reasons after a colon. The pool that gets
/// the node is marked by a star.
std::string outlook_of(const Scenario& scenario) {
  Autoscalers autoscalers(scenario.simulation());
  const auto outlook = autoscalers.outlook(scenario.workload());
  if (!outlook) return "none";
  std::string text;
  for (const PoolOutlook& of : outlook->pools) {
    constexpr auto kWords = std::to_array<std::string_view>({"no", "perhaps", "ok"});
    text +=
        fmt::format("{}{}{}: {}{}{}", text.empty() ? "" : "\n", outlook->choice() == &of ? "*" : "",
                    of.pool->name, kWords[static_cast<std::size_t>(of.verdict)],
                    of.type.empty() ? "" : " ", of.type);
    for (const std::string& reason : of.reasons) text += ": " + reason;
  }
  return text;
}

std::string outlook(const std::string& facts, const std::string& manifests) {
  return outlook_of(Scenario(facts, manifests));
}

TEST_CASE("names the smallest instance type that a pod fits") {
  const std::string pool = karpenter_pool("gpu", in(kFamily, "g6, g6e"));
  CHECK(outlook(pool, gpu_pod(1)) == "*gpu: ok g6.xlarge");
  CHECK(outlook(pool, gpu_pod(4)) == "*gpu: ok g6.12xlarge");
  CHECK(outlook(pool, gpu_pod(1, "", "memory: 60Gi")) == "*gpu: ok g6e.4xlarge");
  CHECK(outlook(pool, gpu_pod(1, "nodeSelector: {karpenter.k8s.aws/instance-gpu-name: l40s}")) ==
        "*gpu: ok g6e.xlarge");
}

TEST_CASE("counts what the node keeps for itself") {
  const std::string pool = karpenter_pool("gpu", in(kFamily, "g6"));
  CHECK(outlook(pool, gpu_pod(1, "", "cpu: 3900m, memory: 14000Mi")) == "*gpu: ok g6.xlarge");
  CHECK(outlook(pool, gpu_pod(1, "", "cpu: 4")) == "*gpu: ok g6.2xlarge");
  CHECK(outlook(pool, gpu_pod(1, "", "memory: 16Gi")) == "*gpu: ok g6.2xlarge");
}

TEST_CASE("names the requirement that conflicts with the pod's") {
  const std::string pool = karpenter_pool("gpu", in(kGpuName, "l4"));
  CHECK(outlook(pool, gpu_pod(1, "nodeSelector: {karpenter.k8s.aws/instance-gpu-name: t4}")) ==
        "gpu: no: requirement karpenter.k8s.aws/instance-gpu-name In [l4] conflicts with "
        "nodeSelector 't4'");
  const std::string affinity =
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchExpressions: [{key: karpenter.k8s.aws/instance-gpu-name, "
      "operator: NotIn, values: [l4]}]}]}}}";
  CHECK(outlook(pool, gpu_pod(1, affinity)) ==
        "gpu: no: requirement karpenter.k8s.aws/instance-gpu-name In [l4] conflicts with node "
        "affinity karpenter.k8s.aws/instance-gpu-name NotIn [l4]");
}

TEST_CASE("a pod may select any value that a requirement admits, and labels of the template") {
  const std::string pool =
      karpenter_pool("gpu", in(kFamily, "g6") + ", " +
                                in("topology.kubernetes.io/zone", "eu-west-1a, eu-west-1b"));
  const auto selecting = [&](std::string_view labels) {
    return outlook(pool, gpu_pod(1, fmt::format("nodeSelector: {{{}}}", labels)));
  };
  CHECK(selecting("topology.kubernetes.io/zone: eu-west-1b") == "*gpu: ok g6.xlarge");
  CHECK(selecting("failure-domain.beta.kubernetes.io/zone: eu-west-1c") ==
        "gpu: no: requirement topology.kubernetes.io/zone In [eu-west-1a, eu-west-1b] conflicts "
        "with nodeSelector 'eu-west-1c'");
  CHECK(selecting("karpenter.sh/capacity-type: spot") == "*gpu: ok g6.xlarge");
  CHECK(selecting("karpenter.sh/nodepool: gpu") == "*gpu: ok g6.xlarge");
  CHECK(selecting("karpenter.sh/nodepool: other") ==
        "gpu: no: label karpenter.sh/nodepool 'gpu' conflicts with nodeSelector 'other'");
  CHECK(selecting("node.kubernetes.io/instance-type: g6.4xlarge") == "*gpu: ok g6.4xlarge");
  CHECK(selecting("kubernetes.io/arch: arm64") ==
        "gpu: no: no instance type of the catalogue that the pool admits satisfies "
        "kubernetes.io/arch In [arm64]");
  CHECK(selecting("karpenter.k8s.aws/instance-gpu-name: t4") ==
        "gpu: no: no instance type of the catalogue that the pool admits satisfies "
        "karpenter.k8s.aws/instance-gpu-name In [t4]");
  CHECK(selecting("karpenter.k8s.aws/instance-size: 32xlarge") ==
        "gpu: perhaps: no instance type of the catalogue that the pool admits satisfies "
        "karpenter.k8s.aws/instance-size In [32xlarge]");
}

TEST_CASE("Karpenter adds no node for labels that only other tools set") {
  CHECK(outlook(karpenter_pool("gpu", in(kFamily, "g6")),
                gpu_pod(1, "nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}")) ==
        "gpu: no: label 'nvidia.com/gpu.product' is not well known to Karpenter and not defined by "
        "the pool, so Karpenter adds no node for a pod that requires it");
}

TEST_CASE("tries the pools by weight, then by name from the end") {
  const std::string pools = karpenter_pool("a", in(kFamily, "g5")) +
                            karpenter_pool("b", in(kFamily, "g6"), "weight: 10") +
                            karpenter_pool("c", in(kFamily, "g6e"));
  CHECK(outlook(pools, gpu_pod(1)) == "*b: ok g6.xlarge\nc: ok g6e.xlarge\na: ok g5.xlarge");
  CHECK(outlook(pools, gpu_pod(1, "nodeSelector: {karpenter.k8s.aws/instance-family: g5}")) ==
        "b: no: requirement karpenter.k8s.aws/instance-family In [g6] conflicts with nodeSelector "
        "'g5'\nc: no: requirement karpenter.k8s.aws/instance-family In [g6e] conflicts with "
        "nodeSelector 'g5'\n*a: ok g5.xlarge");
}

TEST_CASE("a pool whose limit is used up gets no node") {
  const std::string node =
      test::node("gpu-1", "karpenter.sh/nodepool: gpu", "",
                 "cpu: 4, memory: 14Gi, pods: 50, nvidia.com/gpu: 0") +
      "---\n{apiVersion: v1, kind: Node, metadata: {name: gpu-2, labels: {karpenter.sh/nodepool: "
      "gpu}}, status: {capacity: {cpu: 96, memory: 1Ti, nvidia.com/gpu: 8}, allocatable: {cpu: 95, "
      "memory: 1Ti, pods: 50, nvidia.com/gpu: 0}}}\n";
  const auto with_limits = [&](std::string_view limits) {
    return outlook(
        node + karpenter_pool("gpu", in(kFamily, "g6"), fmt::format("limits: {{{}}}", limits)),
        gpu_pod(1));
  };
  CHECK(with_limits("nvidia.com/gpu: 8") == "gpu: no: limit nvidia.com/gpu 8 is used up");
  CHECK(with_limits("nvidia.com/gpu: 9") == "*gpu: ok g6.xlarge");
  CHECK(with_limits("nodes: 2") == "gpu: no: limit nodes 2 is used up");
  CHECK(with_limits("cpu: 98") == "gpu: no: limit cpu 98: 2 is left, g6.xlarge has 4");
  CHECK(with_limits("cpu: 96") == "gpu: no: limit cpu 96 is used up");
}

TEST_CASE("the taints of a pool repel, its start-up taints do not") {
  const auto tainted = [](std::string_view field) {
    return karpenter_pool("gpu", in(kFamily, "g6"), "",
                          fmt::format("{}: [{{key: team, value: ml, effect: NoSchedule}}]", field));
  };
  CHECK(outlook(tainted("taints"), gpu_pod(1)) ==
        "gpu: no: taint 'team=ml:NoSchedule' is not tolerated");
  CHECK(outlook(tainted("startupTaints"), gpu_pod(1)) == "*gpu: ok g6.xlarge");
  CHECK(outlook(tainted("taints"), gpu_pod(1, "tolerations: [{key: team, operator: Exists}]")) ==
        "*gpu: ok g6.xlarge");
}

TEST_CASE("what the catalogue does not cover is unknown, never impossible") {
  CHECK(outlook(karpenter_pool("gpu", in(kFamily, "g6")), gpu_pod(16)) ==
        "gpu: perhaps: no instance type of the catalogue that the pool admits offers 16 "
        "nvidia.com/gpu");
  CHECK(outlook(karpenter_pool("gpu", in("node.kubernetes.io/instance-type", "g6.xlarge")),
                gpu_pod(2)) ==
        "gpu: no: no instance type of the catalogue that the pool admits offers 2 nvidia.com/gpu");
  CHECK(outlook(karpenter_pool("gpu", in("node.kubernetes.io/instance-type", "g6.xlarge")),
                gpu_pod(1, "", "memory: 15Gi")) ==
        "gpu: perhaps: no instance type of the catalogue that the pool admits offers 15Gi memory "
        "and 1 nvidia.com/gpu");
  CHECK(outlook(karpenter_pool("gpu", in(kFamily, "g99")), gpu_pod(1)) ==
        "*gpu: perhaps: no instance type of the catalogue satisfies the pool's requirements");
  CHECK(outlook(karpenter_pool("all", in("karpenter.k8s.aws/instance-category", "c, m, r")),
                pod_with("resources: {requests: {cpu: 1}}")) ==
        "*all: perhaps: no instance type of the catalogue satisfies the pool's requirements");
  CHECK(outlook(karpenter_pool("gpu", in(kFamily, "g6") +
                                          ", {key: karpenter.k8s.aws/instance-ebs-bandwidth, "
                                          "operator: Gt, values: ['8000']}"),
                gpu_pod(1)) ==
        "*gpu: perhaps g6.xlarge: the catalogue does not say whether the instance type satisfies "
        "karpenter.k8s.aws/instance-ebs-bandwidth Gt [8000]");
}

TEST_CASE("a pool of machines without accelerators gets no node for a pod with GPUs") {
  CHECK(outlook(karpenter_pool("general", in("karpenter.k8s.aws/instance-category", "c, m, r")),
                gpu_pod(1)) ==
        "general: no: requirement karpenter.k8s.aws/instance-category In [c, m, r] admits no "
        "instance type with nvidia.com/gpu");
}

TEST_CASE("compares numbers with Gt, Lt, Gte and Lte, and counts minValues") {
  const auto sized = [](std::string_view op, std::string_view value, std::string_view more = "") {
    return karpenter_pool(
        "gpu", in(kFamily, "g6") + fmt::format(", {{key: karpenter.k8s.aws/instance-cpu, operator: "
                                               "{}, values: ['{}']{}}}",
                                               op, value, more));
  };
  CHECK(outlook(sized("Gt", "4"), gpu_pod(1)) == "*gpu: ok g6.2xlarge");
  CHECK(outlook(sized("Gte", "4"), gpu_pod(1)) == "*gpu: ok g6.xlarge");
  CHECK(outlook(sized("Lte", "8"), gpu_pod(4)) ==
        "gpu: perhaps: no instance type of the catalogue that the pool admits offers 4 "
        "nvidia.com/gpu");
  CHECK(outlook(sized("Lt", "16", ", minValues: 2"), gpu_pod(1)) == "*gpu: ok g6.xlarge");
  CHECK(outlook(sized("Lt", "16", ", minValues: 3"), gpu_pod(1)) ==
        "*gpu: perhaps g6.xlarge: requirement karpenter.k8s.aws/instance-cpu Lt [16] has minValues "
        "3, the instance types of the catalogue that fit have 2");
}

TEST_CASE("knows EKS Auto Mode's labels, and no types of other providers") {
  const auto of_class = [](std::string_view group, std::string_view requirement) {
    return karpenter_pool("gpu", requirement, "",
                          fmt::format("nodeClassRef: {{group: {}, kind: A, name: a}}", group));
  };
  CHECK(outlook(of_class("eks.amazonaws.com", in("eks.amazonaws.com/instance-gpu-name", "l4")),
                gpu_pod(1)) == "*gpu: ok g6.xlarge");
  CHECK(outlook(of_class("karpenter.azure.com", in("karpenter.azure.com/sku-gpu-name", "T4")),
                gpu_pod(1)) ==
        "*gpu: perhaps: the catalogue has the labels of AWS's instance types only");
  CHECK(outlook(
            of_class("karpenter.k8s.gcp", in("node.kubernetes.io/instance-type", "g2-standard-8")),
            gpu_pod(1)) ==
        "*gpu: perhaps g2-standard-8: the catalogue has the labels of AWS's instance types only");
  CHECK(outlook(karpenter_pool("gpu", in("node.kubernetes.io/instance-type", "g99.large")),
                gpu_pod(1)) ==
        "*gpu: perhaps g99.large: the catalogue does not have this instance "
        "type");
}

TEST_CASE("a preference chooses the pool if it can be satisfied") {
  const std::string pools =
      karpenter_pool("a", in(kFamily, "g5"), "weight: 9") + karpenter_pool("b", in(kFamily, "g6"));
  const auto preferring = [&](std::string_view family) {
    return gpu_pod(
        1,
        fmt::format("affinity: {{nodeAffinity: {{preferredDuringSchedulingIgnoredDuringExecution: "
                    "[{{weight: 1, preference: {{matchExpressions: [{}]}}}}]}}}}",
                    in(kFamily, family)));
  };
  CHECK(outlook(pools, preferring("g6")).ends_with("*b: ok g6.xlarge"));
  CHECK(outlook(pools, preferring("p5")).starts_with("*a: ok g5.xlarge"));
}

TEST_CASE("a static pool, and a pod that needs no new node, get none") {
  CHECK(outlook(karpenter_pool("gpu", in(kFamily, "g6"), "replicas: 2"), gpu_pod(1)) ==
        "gpu: no: it has a fixed number of nodes (spec.replicas)");
  CHECK(outlook(karpenter_pool("gpu", in(kFamily, "g6")) +
                    test::node("a", "", "", "cpu: 4, memory: 8Gi, pods: 9, nvidia.com/gpu: 1"),
                gpu_pod(1)) == "none");
  CHECK(outlook(test::node("a"), gpu_pod(1)) == "none");
}

TEST_CASE("a MachineSet gets nodes of its annotated size up to its maximum") {
  const auto machine_set = [](std::string_view most) {
    return fmt::format(
        "---\n{{apiVersion: machine.openshift.io/v1beta1, kind: MachineSet, metadata: {{name: gpu, "
        "annotations: {{machine.openshift.io/vCPU: '8', machine.openshift.io/memoryMb: '32768', "
        "machine.openshift.io/GPU: '1', "
        "capacity.cluster-autoscaler.kubernetes.io/labels: 'kubernetes.io/arch=amd64,a=b'{}}}}}, "
        "spec: {{replicas: 2, template: {{spec: {{providerSpec: {{value: {{instanceType: "
        "g6.2xlarge}}}}}}}}}}}}\n",
        most.empty()
            ? ""
            : fmt::format(", machine.openshift.io/cluster-api-autoscaler-node-group-max-size: "
                          "'{}'",
                          most));
  };
  CHECK(outlook(machine_set("3"), gpu_pod(1, "nodeSelector: {a: b}")) == "*gpu: ok g6.2xlarge");
  CHECK(outlook(machine_set("2"), gpu_pod(1)) == "gpu: no: it has 2 of at most 2 nodes");
  CHECK(outlook(machine_set("3"), gpu_pod(2)) ==
        "gpu: no: requests 2 nvidia.com/gpu, the node has 1");
  CHECK(outlook(machine_set("3"), gpu_pod(1, "nodeSelector: {a: c}")) ==
        "gpu: no: label 'a' is 'b', not 'c'");
  CHECK(outlook(machine_set(""), gpu_pod(1)) ==
        "*gpu: perhaps g6.2xlarge: unknown whether an autoscaler manages it: it has no annotation "
        "cluster-api-autoscaler-node-group-max-size");
}

TEST_CASE("the instance type of a MachineSet decides until its controller writes the annotations") {
  const auto machine_set = [](std::string_view type) {
    return fmt::format(
        "---\n{{apiVersion: machine.openshift.io/v1beta1, kind: MachineSet, metadata: {{name: gpu, "
        "annotations: {{machine.openshift.io/vCPU: '8', machine.openshift.io/memoryMb: '32768', "
        "machine.openshift.io/cluster-api-autoscaler-node-group-max-size: '3'}}}}, spec: "
        "{{template: {{spec: {{providerSpec: {{value: {{instanceType: {}}}}}}}}}}}}}\n",
        type);
  };
  CHECK(outlook(machine_set("g6.2xlarge"), gpu_pod(1)) == "*gpu: ok g6.2xlarge");
  CHECK(outlook(machine_set("m5.2xlarge"), gpu_pod(1)) ==
        "gpu: no: requests 1 nvidia.com/gpu, the node has none");
}

TEST_CASE("the autoscaler knows labels of an empty group of eksctl only by tags") {
  const auto group = [](std::string_view kind, std::string_view more) {
    return fmt::format(
        "---\n{{apiVersion: eksctl.io/v1alpha5, kind: ClusterConfig, metadata: {{name: c}}, {}: "
        "[{{name: gpu, instanceType: g5.2xlarge, labels: {{pool: gpu}}, {}}}]}}\n",
        kind, more);
  };
  const std::string selecting = gpu_pod(1, "nodeSelector: {pool: gpu}");
  CHECK(outlook(group("nodeGroups", "minSize: 0"), selecting) ==
        "*gpu: perhaps g5.2xlarge: before the group has a node, the cluster autoscaler knows label "
        "'pool' only if its Auto Scaling group has the tag "
        "'k8s.io/cluster-autoscaler/node-template/label/pool', which 'propagateASGTags: true' "
        "sets");
  const std::string ok = "*gpu: ok g5.2xlarge";
  CHECK(outlook(group("nodeGroups", "minSize: 0"), gpu_pod(1)) == ok);
  CHECK(outlook(group("nodeGroups", "minSize: 0, desiredCapacity: 1"), selecting) == ok);
  CHECK(outlook(group("nodeGroups", "maxSize: 4"), selecting) == ok);
  CHECK(outlook(group("nodeGroups", "desiredCapacity: 0, propagateASGTags: true"), selecting) ==
        ok);
  CHECK(outlook(group("managedNodeGroups", "desiredCapacity: 0"), selecting) == ok);
  CHECK(outlook(group("nodeGroups",
                      "minSize: 0, tags: {k8s.io/cluster-autoscaler/node-template/label/pool: "
                      "gpu}"),
                selecting) == ok);
}

TEST_CASE("a pod is stuck if neither a node nor a pool takes it, and a DaemonSet gets no node") {
  const auto is_stuck = [](const std::string& facts, const std::string& manifest) {
    const Scenario scenario(facts, manifest);
    Autoscalers autoscalers(scenario.simulation());
    const auto outlook = autoscalers.outlook(scenario.workload());
    return outlook && lacks_node(conclusion_on(scenario.workload(), &*outlook, nullptr));
  };
  const std::string pool = karpenter_pool("gpu", in(kFamily, "g6"));
  const std::string spec = "nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}";
  CHECK(is_stuck(pool, gpu_pod(1, spec)));
  CHECK(is_stuck(pool + test::node("a"), gpu_pod(1, spec)));
  CHECK_FALSE(is_stuck(pool, gpu_pod(1)));
  CHECK_FALSE(is_stuck(pool, gpu_pod(1, spec + ", schedulerName: other")));
  CHECK_FALSE(is_stuck(pool + "---\n{apiVersion: v1, kind: Node, metadata: {name: a, labels: "
                              "{nvidia.com/gpu.product: NVIDIA-L4}}}\n",
                       gpu_pod(1, spec)));
  CHECK_FALSE(is_stuck(pool,
                       "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: "
                       "{template: {spec: {" +
                           spec + ", containers: [{name: c}]}}}}"));
}

}  // namespace cnsched::sim::autoscaler_test
