#include "core/facts/node_pools.h"
#include "testdata/support.h"

namespace cnsched::node_pools_test {

using accelerators::Vendor;

/// The pools of a manifest and all that they view.
struct Pools {
  explicit Pools(std::string text) : parsed(std::move(text)) {
    for (const k8s::Object& object : parsed.objects) {
      for (NodePool& pool : node_pools_in(object)) all.push_back(std::move(pool));
    }
  }
  const NodePool& only() const {
    REQUIRE(all.size() == 1);
    return all.front();
  }

  Parsed parsed;
  std::vector<NodePool> all;
};

/// "key=value" of every label.
std::string labels_of(const NodePool& pool) {
  return joined(pool.labels,
                [](const k8s::Label& l) { return fmt::format("{}={}", l.key, l.value); });
}

/// "key=value:effect" of every taint.
std::string taints_of(const NodePool& pool) {
  return joined(pool.taints, [](const k8s::Taint& t) {
    return fmt::format("{}={}:{}", t.key, t.value, t.effect);
  });
}

/// The vendor of the only pool of a manifest, or "none".
std::string vendor_in(const std::string& text) {
  const Pools pools(text);
  const NodePool& pool = pools.only();
  CHECK((pool.vendor == nullptr) == (pool.evidence == nullptr));
  return pool.vendor == nullptr ? "none" : std::string(accelerators::name_of(*pool.vendor));
}

std::string node(const std::string& rest) { return "apiVersion: v1\nkind: Node\n" + rest; }

std::string karpenter(const std::string& requirements) {
  return "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\n"
         "spec: {template: {spec: {requirements: [" +
         requirements + "]}}}\n";
}

TEST_CASE("a Node has labels and taints") {
  const Pools pools(
      node("metadata: {name: n1, labels: {zone: a}}\n"
           "spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}\n"));
  CHECK(pools.only().name == "n1");
  CHECK(pools.only().object == &pools.parsed.object());
  CHECK(labels_of(pools.only()) == "zone=a");
  CHECK(taints_of(pools.only()) == "nvidia.com/gpu=present:NoSchedule");
}

TEST_CASE("an allocatable accelerator proves that the device plugin runs") {
  const Pools pools(node("status: {allocatable: {cpu: 8, nvidia.com/gpu: '2'}}\n"));
  CHECK(pools.only().advertises);
  REQUIRE(pools.only().evidence != nullptr);
  CHECK(pools.parsed.at(pools.only().evidence->span) == "'2'");
  CHECK_FALSE(Pools(node("status: {allocatable: {nvidia.com/gpu: 0}}\n")).only().advertises);
  CHECK_FALSE(Pools(node("status: {allocatable: {cpu: 8}}\n")).only().advertises);
  CHECK_FALSE(Pools(node("status: {capacity: {nvidia.com/gpu: 1}}\n")).only().advertises);
  CHECK_FALSE(Pools(node("status: {allocatable: {vpc.amazonaws.com/efa: 1}}\n")).only().advertises);
}

TEST_CASE("recognises a node's accelerators by resource, machine type, label or taint") {
  CHECK(vendor_in(node("status: {allocatable: {amd.com/gpu: 8}}\n")) == "AMD");
  CHECK(vendor_in(node("metadata: {labels: {node.kubernetes.io/instance-type: g5.xlarge}}\n")) ==
        "NVIDIA");
  CHECK(vendor_in(node("metadata: {labels: {beta.kubernetes.io/instance-type: inf2.xlarge}}\n")) ==
        "AWS Neuron");
  CHECK(vendor_in(node("metadata: {labels: {nvidia.com/gpu.present: 'true'}}\n")) == "NVIDIA");
  CHECK(vendor_in(node("spec: {taints: [{key: google.com/tpu, effect: NoSchedule}]}\n")) ==
        "Google TPU");
  CHECK(vendor_in(node("metadata: {labels: {nvidia.com/gpu.present: 'false'}}\n")) == "none");
  CHECK(vendor_in(node("metadata: {labels: {node.kubernetes.io/instance-type: m5.large}}\n")) ==
        "none");
  CHECK(vendor_in(node("spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}\n")) ==
        "none");
}

TEST_CASE("Karpenter's NodePool has labels and taints in its template") {
  const Pools pools(
      "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\n"
      "spec:\n  template:\n    metadata: {labels: {team: ml}}\n    spec:\n"
      "      taints: [{key: sku, value: gpu, effect: NoSchedule}]\n"
      "      startupTaints: [{key: starting, effect: NoExecute}]\n"
      "      requirements:\n"
      "      - {key: karpenter.k8s.aws/instance-family, operator: In, values: [g5, g6]}\n"
      "      - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}\n");
  CHECK(labels_of(pools.only()) ==
        "team=ml karpenter.sh/nodepool=gpu karpenter.sh/capacity-type=spot");
  CHECK(taints_of(pools.only()) == "sku=gpu:NoSchedule");
  CHECK(*pools.only().vendor == Vendor::nvidia);
  CHECK(pools.parsed.at(pools.only().evidence->span) == "g5");
  CHECK_FALSE(pools.only().brings_own_plugin);
}

TEST_CASE("reads accelerators from Karpenter's requirements only if every machine has them") {
  CHECK(vendor_in(karpenter("{key: node.kubernetes.io/instance-type, operator: In,"
                            " values: [g5.xlarge, p4d.24xlarge]}")) == "NVIDIA");
  CHECK(vendor_in(karpenter("{key: karpenter.k8s.aws/instance-family, operator: In,"
                            " values: [m5, g5]}")) == "none");
  CHECK(vendor_in(karpenter("{key: karpenter.k8s.aws/instance-family, operator: NotIn,"
                            " values: [g5]}")) == "none");
  CHECK(vendor_in(karpenter("{key: karpenter.k8s.aws/instance-gpu-count, operator: Gt,"
                            " values: ['0']}")) == "NVIDIA");
  CHECK(vendor_in(karpenter("{key: karpenter.k8s.aws/instance-gpu-count, operator: Gte,"
                            " values: ['1']}")) == "NVIDIA");
  CHECK(vendor_in(karpenter("{key: karpenter.k8s.aws/instance-gpu-count, operator: Lt,"
                            " values: ['2']}")) == "none");
  CHECK(vendor_in(karpenter("{key: karpenter.k8s.aws/instance-gpu-count, operator: In,"
                            " values: ['0']}")) == "none");
  CHECK(vendor_in(karpenter("{key: karpenter.k8s.aws/instance-gpu-name, operator: In,"
                            " values: [t4, a10g]}")) == "NVIDIA");
  CHECK(vendor_in(karpenter("{key: karpenter.k8s.aws/instance-gpu-name, operator: Exists}")) ==
        "NVIDIA");
  CHECK(vendor_in(karpenter(
            "{key: karpenter.k8s.aws/instance-gpu-name, operator: DoesNotExist}")) == "none");
  CHECK(vendor_in(karpenter("{key: karpenter.k8s.aws/instance-gpu-manufacturer, operator: In,"
                            " values: [amd]}")) == "AMD");
  CHECK(vendor_in(karpenter("{key: karpenter.k8s.aws/instance-gpu-name, operator: In,"
                            " values: []}")) == "none");
}

TEST_CASE("Karpenter's NodePool limits how many nodes it adds, and the weight orders pools") {
  const Pools pool(
      "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\n"
      "spec:\n  weight: 50\n  limits: {cpu: 100, nvidia.com/gpu: 8, nodes: x}\n  template:\n"
      "    spec: {requirements: [{key: a/b, operator: Exists}]}\n"
      "status: {resources: {cpu: 4, nvidia.com/gpu: 1}}\n");
  const Pools fixed(
      "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: fixed}\n"
      "spec: {replicas: 3}\n");
  const Pools old(
      "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: old}\n"
      "spec: {limits: {resources: {memory: 1Ti}}}\n");
  const Scaling& scaling = pool.only().scaling;
  CHECK(scaling.weight == 50);
  REQUIRE(scaling.limits.size() == 2);
  CHECK(scaling.limits[1].name == "nvidia.com/gpu");
  CHECK(scaling.limits[1].amount.value() == 8);
  REQUIRE(scaling.used.size() == 2);
  CHECK(scaling.used[0].amount.value() == 4);
  CHECK(scaling.requirements.size() == 1);
  CHECK_FALSE(scaling.is_fixed);
  CHECK(fixed.only().scaling.is_fixed);
  CHECK(old.only().scaling.limits.at(0).name == "memory");
  CHECK(described(old.only()) == "Provisioner 'old'");
  CHECK(is_of_karpenter(old.only()));
}

TEST_CASE("a MachineSet says in annotations what the autoscaler expects of a new node") {
  const Pools pools(
      "apiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\nmetadata:\n  name: gpu-a\n"
      "  annotations:\n    machine.openshift.io/vCPU: '8'\n"
      "    machine.openshift.io/memoryMb: '32768'\n    machine.openshift.io/GPU: '1'\n"
      "    machine.openshift.io/cluster-api-autoscaler-node-group-max-size: '4'\n"
      "    capacity.cluster-autoscaler.kubernetes.io/labels: kubernetes.io/arch=amd64,pool=a\n"
      "    capacity.cluster-autoscaler.kubernetes.io/taints: nvidia.com/gpu=b:NoSchedule\n"
      "spec:\n  replicas: 2\n  template: {spec: {metadata: {labels: {pool: old}},\n"
      "    taints: [{key: nvidia.com/gpu, value: old, effect: NoSchedule}],\n"
      "    providerSpec: {value: {instanceType: g6.2xlarge}}}}\n");
  const NodePool& pool = pools.only();
  CHECK(labels_of(pool) == "kubernetes.io/arch=amd64 pool=a");
  CHECK(taints_of(pool) == "nvidia.com/gpu=b:NoSchedule");
  CHECK(pool.scaling.max_nodes == 4);
  CHECK(pool.scaling.nodes == 2);
  REQUIRE(pool.scaling.capacity.size() == 3);
  CHECK(pool.scaling.capacity[0].amount.value() == 8);
  CHECK(pool.scaling.capacity[1].name == "memory");
  CHECK(pool.scaling.capacity[1].amount.value() == std::int64_t{32} << 30);
  CHECK(pool.scaling.capacity[2].name == "nvidia.com/gpu");
  REQUIRE(pool.scaling.instance_types.size() == 1);
  CHECK(pool.scaling.instance_types[0] == "g6.2xlarge");
  CHECK(pool.scaling.doubt.empty());
}

TEST_CASE("a MachineDeployment of Cluster API is a pool only with the size of its nodes") {
  const std::string start =
      "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata:\n  name: a\n"
      "  annotations:\n    cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: '5'\n";
  CHECK(Pools(start).all.empty());
  const Pools pools(start +
                    "    capacity.cluster-autoscaler.kubernetes.io/cpu: '16'\n"
                    "    capacity.cluster-autoscaler.kubernetes.io/memory: 128G\n"
                    "    capacity.cluster-autoscaler.kubernetes.io/gpu-type: amd.com/gpu\n"
                    "    capacity.cluster-autoscaler.kubernetes.io/gpu-count: '2'\n"
                    "    capacity.cluster-autoscaler.kubernetes.io/maxPods: '200'\n");
  const Scaling& scaling = pools.only().scaling;
  CHECK(scaling.max_nodes == 5);
  REQUIRE(scaling.capacity.size() == 4);
  CHECK(scaling.capacity[1].amount.value() == 128'000'000'000);
  CHECK(scaling.capacity[2].name == "pods");
  CHECK(scaling.capacity[3].name == "amd.com/gpu");
}

TEST_CASE("EKS Auto Mode brings its own device plugin") {
  const Pools pools(
      "apiVersion: karpenter.sh/v1\nkind: NodePool\n"
      "spec: {template: {spec: {nodeClassRef: {group: eks.amazonaws.com, kind: NodeClass}}}}\n");
  CHECK(pools.only().brings_own_plugin);
}

TEST_CASE("Karpenter's former Provisioner has everything at the top") {
  const Pools pools(
      "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: gpu}\n"
      "spec:\n  labels: {team: ml}\n  taints: [{key: nvidia.com/gpu, effect: NoSchedule}]\n"
      "  requirements: [{key: karpenter.k8s.aws/instance-family, operator: In, values: [g5]}]\n");
  CHECK(labels_of(pools.only()) ==
        "team=ml karpenter.sh/provisioner-name=gpu karpenter.k8s.aws/instance-family=g5");
  CHECK(taints_of(pools.only()) == "nvidia.com/gpu=:NoSchedule");
  CHECK(*pools.only().vendor == Vendor::nvidia);
}

TEST_CASE("eksctl's ClusterConfig has a pool for each node group, managed or not") {
  const Pools pools(
      "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: c}\n"
      "nodeGroups:\n- {name: cpu, instanceType: m5.large}\n"
      "managedNodeGroups:\n- name: gpu\n  instanceTypes: [g5.xlarge]\n  labels: {team: ml}\n"
      "  taints: [{key: dedicated, value: gpu, effect: NoSchedule}]\n");
  REQUIRE(pools.all.size() == 2);
  CHECK(pools.all[0].name == "cpu");
  CHECK(pools.all[0].vendor == nullptr);
  CHECK(pools.all[1].name == "gpu");
  CHECK(labels_of(pools.all[1]) == "team=ml");
  CHECK(taints_of(pools.all[1]) == "dedicated=gpu:NoSchedule");
  CHECK(*pools.all[1].vendor == Vendor::nvidia);
  CHECK(pools.all[1].brings_own_plugin);
}

TEST_CASE("reads eksctl's taints from a mapping") {
  const Pools pools(
      "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\n"
      "nodeGroups:\n- name: gpu\n"
      "  taints: {nvidia.com/gpu: 'true:NoSchedule', empty: ':NoExecute', odd: x}\n");
  CHECK(taints_of(pools.only()) == "nvidia.com/gpu=true:NoSchedule empty=:NoExecute");
}

TEST_CASE("OpenShift's MachineSet keeps its machines in a template") {
  const Pools pools(
      "apiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\nmetadata: {name: gpu}\n"
      "spec:\n  template:\n    spec:\n      metadata: {labels: {team: ml}}\n"
      "      taints: [{key: nvidia.com/gpu, value: 'true', effect: NoSchedule}]\n"
      "      providerSpec: {value: {instanceType: p3.2xlarge}}\n");
  CHECK(labels_of(pools.only()) == "team=ml");
  CHECK(taints_of(pools.only()) == "nvidia.com/gpu=true:NoSchedule");
  CHECK(pools.parsed.at(pools.only().evidence->span) == "p3.2xlarge");
}

TEST_CASE("a MachineSet's annotation counts its GPUs") {
  const auto annotated = [](const std::string& count) {
    return "apiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\n"
           "metadata: {annotations: {machine.openshift.io/GPU: '" +
           count + "'}}\n";
  };
  CHECK(vendor_in(annotated("1")) == "NVIDIA");
  CHECK(vendor_in(annotated("0")) == "none");
}

TEST_CASE("kubeadm's configurations have taints") {
  const std::string join =
      "joinConfiguration: {nodeRegistration: {taints: [{key: a, value: b, effect: NoSchedule}]}}";
  CHECK(taints_of(Pools("apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\n"
                        "kind: KubeadmConfigTemplate\nspec: {template: {spec: {" +
                        join + "}}}\n")
                      .only()) == "a=b:NoSchedule");
  CHECK(taints_of(Pools("apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfig\n"
                        "spec: {" +
                        join + "}\n")
                      .only()) == "a=b:NoSchedule");
}

TEST_CASE("the managed pools of AWS, Azure and Google Cloud each have names of their own") {
  const std::string head = "apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: ";
  const Pools aws(head +
                  "AWSManagedMachinePool\nspec: {instanceType: g5.xlarge, labels: {a: b},"
                  " taints: [{key: sku, value: gpu, effect: no-schedule}]}\n");
  CHECK(labels_of(aws.only()) == "a=b");
  CHECK(taints_of(aws.only()) == "sku=gpu:NoSchedule");
  CHECK(*aws.only().vendor == Vendor::nvidia);
  CHECK_FALSE(aws.only().brings_own_plugin);

  const Pools azure(head +
                    "AzureManagedMachinePool\nspec: {sku: Standard_NC4as_T4_v3, nodeLabels: {a: b},"
                    " taints: [{key: sku, value: gpu, effect: NoSchedule}]}\n");
  CHECK(labels_of(azure.only()) == "a=b");
  CHECK(taints_of(azure.only()) == "sku=gpu:NoSchedule");
  CHECK(*azure.only().vendor == Vendor::nvidia);

  const Pools google(head +
                     "GCPManagedMachinePool\nspec: {machineType: a2-highgpu-1g,"
                     " kubernetesLabels: {a: b},"
                     " kubernetesTaints: [{key: sku, value: gpu, effect: NO_SCHEDULE}]}\n");
  CHECK(labels_of(google.only()) == "a=b");
  CHECK(taints_of(google.only()) == "sku=gpu:NoSchedule");
  CHECK(*google.only().vendor == Vendor::nvidia);
  CHECK(google.only().brings_own_plugin);
}

TEST_CASE("other objects describe no nodes") {
  for (const std::string text :
       {"apiVersion: v1\nkind: Pod\n", "apiVersion: example.com/v1\nkind: Node\n",
        "apiVersion: example.com/v1\nkind: NodePool\n",
        "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\n"}) {
    CAPTURE(text);
    CHECK(Pools(text).all.empty());
  }
}

TEST_CASE("Karpenter's instance categories g and p are GPU machines") {
  const auto workspace = workspace_of({{"a.yaml", R"(apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    spec:
      requirements:
      - {key: karpenter.k8s.aws/instance-category, operator: In, values: [g, p]}
)"}});
  const std::vector<NodePool> pools = node_pools_in(workspace->objects().front());
  REQUIRE(pools.size() == 1);
  REQUIRE(pools.front().vendor != nullptr);
  CHECK(*pools.front().vendor == accelerators::Vendor::nvidia);
}

TEST_CASE("labels and taints in a kubelet's arguments are those of its node") {
  for (const char* arguments :
       {"{node-labels: 'pool=gpu,nvidia.com/gpu.present=true', register-with-taints: "
        "'dedicated=ml:NoSchedule'}",
        "[{name: node-labels, value: 'pool=gpu,nvidia.com/gpu.present=true'}, {name: "
        "register-with-taints, value: 'dedicated=ml:NoSchedule'}]"}) {
    const auto workspace = workspace_of({{"a.yaml", fmt::format(R"(
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: EKSConfigTemplate
metadata: {{name: gpu}}
spec:
  template:
    spec:
      kubeletExtraArgs: {}
)",
                                                                arguments)}});
    const std::vector<NodePool> pools = node_pools_in(workspace->objects().front());
    REQUIRE(pools.size() == 1);
    const NodePool& pool = pools.front();
    REQUIRE(pool.labels.size() == 2);
    CHECK(pool.labels[0].key == "pool");
    CHECK(pool.labels[0].value == "gpu");
    CHECK(pool.vendor != nullptr);
    REQUIRE(pool.taints.size() == 1);
    CHECK(pool.taints[0].key == "dedicated");
    CHECK(pool.taints[0].value == "ml");
    CHECK(pool.taints[0].effect == k8s::kNoSchedule);
  }
}

}  // namespace cnsched::node_pools_test
