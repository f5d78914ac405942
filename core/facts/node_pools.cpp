#include "core/facts/node_pools.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/pod_spec.h"
#include "core/yaml/scalar.h"

namespace cnsched::facts {

namespace {

using yaml::Node;

/// Takes the first evidence of a vendor's cards.
void see(NodePool& pool, const accelerators::Vendor* vendor, const Node& evidence) {
  if (pool.vendor != nullptr || vendor == nullptr) return;
  pool.vendor = vendor;
  pool.evidence = &evidence;
}

void see_instance_type(NodePool& pool, const Node& type) {
  see(pool, accelerators::vendor_of_instance_type(type.text()), type);
  if (!type.text().empty()) pool.scaling.instance_types.push_back(type.text());
}

void add_resource(std::string_view name, const Node& amount, std::vector<PoolResource>& resources) {
  const auto quantity = Quantity::parse(amount.text());
  if (amount.is_scalar() && quantity) resources.push_back({name, quantity->rounded_to_milli()});
}

std::vector<PoolResource> resources_in(const Node& mapping) {
  std::vector<PoolResource> resources;
  for (const yaml::Entry& entry : mapping.entries()) {
    if (!entry.overridden) add_resource(entry.key->text(), *entry.value, resources);
  }
  return resources;
}

/// A number, or the text of one as annotations have it.
std::optional<std::int64_t> count_in(const Node& node) {
  const auto number = k8s::parse_int64(node.text());
  return number && *number >= 0 ? number : std::nullopt;
}

NodePool named(const k8s::Object& object) {
  NodePool pool;
  pool.object = &object;
  pool.name = object.name;
  return pool;
}

NodePool node(const k8s::Object& object) {
  NodePool pool = named(object);
  pool.labels = k8s::labels_in(object.labels());
  pool.taints = k8s::taints_in(object.spec()["taints"]);
  pool.allocatable = &object["status"]["allocatable"];
  for (const yaml::Entry& entry : pool.allocatable->entries()) {
    const auto* resource = accelerators::find_resource(entry.key->text());
    const auto amount = Quantity::parse(entry.value->text());
    if (resource == nullptr || !amount || amount->is_zero()) continue;
    see(pool, &resource->vendor, *entry.value);
    pool.advertises = true;
  }
  for (const std::string_view key :
       {"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"}) {
    see_instance_type(pool, object.labels().under(key));
  }
  // Its variants for NVIDIA run the plugin as a service of the host.
  pool.brings_own_plugin =
      object["status"]["nodeInfo"]["osImage"].text().find("Bottlerocket") != std::string::npos;
  return pool;
}

/// Whose cards every machine has that a requirement admits, or null. A list that also admits
/// machines without any promises nothing.
const accelerators::Vendor* vendor_of_all(const k8s::Requirement& requirement) {
  const bool machines = k8s::is_instance_label(requirement.key);
  const accelerators::Vendor* vendor = nullptr;
  for (const Node* value : requirement.values) {
    vendor = machines ? accelerators::vendor_of_instance_type(value->text())
                      : accelerators::vendor_from_label(requirement.key, value->text());
    if (vendor == nullptr) return nullptr;
  }
  return vendor;
}

/// Karpenter's requirements are labels that its nodes will have. Karpenter alone has Gte.
void add_requirements(NodePool& pool, const Node& requirements) {
  for (const k8s::Requirement& requirement : k8s::requirements_in(requirements)) {
    const Node& key = (*requirement.node)["key"];
    if (requirement.op == "In") {
      if (requirement.values.size() == 1) {
        const Node* value = requirement.values.front();
        pool.labels.push_back({requirement.key, value->text(), value});
      }
      if (!requirement.values.empty()) {
        see(pool, vendor_of_all(requirement), *requirement.values.front());
      }
    } else if (requirement.op == "Exists" || requirement.op == "Gt" || requirement.op == "Gte") {
      const auto* label = accelerators::find_label(requirement.key);
      if (label != nullptr) see(pool, &label->vendor, key);
    }
  }
}

NodePool karpenter(const k8s::Object& object) {
  NodePool pool = named(object);
  const bool provisioner = object.kind == "Provisioner";
  const Node& spec = object.spec();
  const Node& inner = provisioner ? spec : spec["template"]["spec"];
  pool.labels =
      k8s::labels_in(provisioner ? spec["labels"] : spec["template"]["metadata"]["labels"]);
  const Node& name = object["metadata"]["name"];
  if (name.is_scalar()) {
    pool.labels.push_back({provisioner ? "karpenter.sh/provisioner-name" : "karpenter.sh/nodepool",
                           name.text(), &name});
  }
  pool.taints = k8s::taints_in(inner["taints"]);
  add_requirements(pool, inner["requirements"]);
  Scaling& scaling = pool.scaling;
  scaling.requirements = k8s::requirements_in(inner["requirements"]);
  scaling.weight = k8s::parse_int64(spec["weight"].text()).value_or(0);
  scaling.limits = resources_in(provisioner ? spec["limits"]["resources"] : spec["limits"]);
  scaling.used = resources_in(object["status"]["resources"]);
  scaling.is_fixed = !provisioner && spec["replicas"].is_scalar();
  // EKS Auto Mode runs AWS's own device plugin.
  pool.brings_own_plugin = inner["nodeClassRef"]["group"].text() == "eks.amazonaws.com";
  return pool;
}

/// eksctl also takes a mapping of keys to "value:effect".
std::vector<k8s::Taint> eksctl_taints(const Node& taints) {
  std::vector<k8s::Taint> result = k8s::taints_in(taints);
  for (const yaml::Entry& entry : taints.entries()) {
    if (entry.overridden) continue;
    const std::string_view text = entry.value->text();
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) continue;
    result.push_back(
        {entry.value, entry.key->text(), text.substr(0, colon), text.substr(colon + 1)});
  }
  return result;
}

/// The labels of a group of eksctl without nodes that its Auto Scaling group does not show. EKS
/// shows those of its managed groups to the autoscaler. Without desiredCapacity, eksctl starts
/// minSize nodes [A51].
std::vector<std::string_view> untagged_labels(const Node& group, bool is_managed) {
  const Node& wanted = group["desiredCapacity"] ? group["desiredCapacity"] : group["minSize"];
  const bool has_tags = yaml::boolean_of(group["propagateASGTags"].text()) == true;
  if (is_managed || has_tags || count_in(wanted) != 0) return {};
  std::vector<std::string_view> keys;
  for (const k8s::Label& label : k8s::labels_in(group["labels"])) {
    const std::string tag = std::string(kNodeTemplateLabel) + std::string(label.key);
    if (group["tags"].under(tag).text() != label.value) keys.push_back(label.key);
  }
  return keys;
}

std::vector<NodePool> eksctl(const k8s::Object& object) {
  std::vector<NodePool> pools;
  for (const std::string_view list : {"nodeGroups", "managedNodeGroups"}) {
    for (const Node* group : object.root->under(list).items()) {
      NodePool pool = named(object);
      pool.name = (*group)["name"].text();
      pool.labels = k8s::labels_in((*group)["labels"]);
      pool.taints = eksctl_taints((*group)["taints"]);
      see_instance_type(pool, (*group)["instanceType"]);
      for (const Node* type : (*group)["instanceTypes"].items()) see_instance_type(pool, *type);
      // eksctl installs the plugin itself, with a toleration for each taint of its node groups.
      pool.brings_own_plugin = true;
      pool.scaling.max_nodes = count_in((*group)["maxSize"]);
      pool.scaling.untagged_labels = untagged_labels(*group, list == "managedNodeGroups");
      pools.push_back(std::move(pool));
    }
  }
  return pools;
}

/// "key=value" of a list of labels that begins at `text`; nothing without '='.
std::optional<k8s::Label> label_in(std::string_view text, const Node& written) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  return k8s::Label{trim(text.substr(0, equals)), trim(text.substr(equals + 1)), &written};
}

/// "key=value:Effect" or "key:Effect"; nothing without ':'.
std::optional<k8s::Taint> taint_in(std::string_view text, const Node& written) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view pair = text.substr(0, colon);
  const std::size_t equals = pair.find('=');
  const bool has_value = equals != std::string_view::npos;
  return k8s::Taint{&written, trim(pair.substr(0, equals)),
                    has_value ? pair.substr(equals + 1) : std::string_view(),
                    trim(text.substr(colon + 1))};
}

/// Overrides labels and taints by annotations that the cluster autoscaler reads. Source:
/// cluster-autoscaler/cloudprovider/clusterapi/README.md, "Scale from zero support".
void add_annotated(NodePool& pool, const Node& annotations) {
  const Node& labels = annotations["capacity.cluster-autoscaler.kubernetes.io/labels"];
  for (const std::string_view text : split(labels.text(), ',')) {
    const auto label = label_in(text, labels);
    if (!label) continue;
    std::erase_if(pool.labels, [&](const k8s::Label& other) { return other.key == label->key; });
    pool.labels.push_back(*label);
  }
  const Node& taints = annotations["capacity.cluster-autoscaler.kubernetes.io/taints"];
  for (const std::string_view text : split(taints.text(), ',')) {
    const auto taint = taint_in(text, taints);
    if (!taint) continue;
    std::erase_if(pool.taints, [&](const k8s::Taint& other) {
      return other.key == taint->key && other.effect == taint->effect;
    });
    pool.taints.push_back(*taint);
  }
}

/// The annotation with one of these prefixes.
const Node& annotated(const Node& annotations, std::string_view name) {
  for (const std::string_view prefix : {"machine.openshift.io/", "cluster.x-k8s.io/"}) {
    const Node& value = annotations.under(std::string(prefix) + std::string(name));
    if (value) return value;
  }
  return yaml::missing_node();
}

/// The size of a node that the cluster autoscaler expects of a group without nodes: the annotations
/// of OpenShift in MB and numbers, those of Cluster API as quantities.
void add_annotated_capacity(Scaling& scaling, const Node& annotations) {
  const std::string_view prefix = "capacity.cluster-autoscaler.kubernetes.io/";
  const auto capacity = [&](std::string_view name) -> const Node& {
    return annotations.under(std::string(prefix) + std::string(name));
  };
  add_resource("cpu", annotations["machine.openshift.io/vCPU"], scaling.capacity);
  const auto megabytes = count_in(annotations["machine.openshift.io/memoryMb"]);
  const auto memory = Quantity::parse(fmt::format("{}Mi", megabytes.value_or(0)));
  if (megabytes && memory) scaling.capacity.push_back({"memory", *memory});
  if (scaling.capacity.empty()) {
    add_resource("cpu", capacity("cpu"), scaling.capacity);
    add_resource("memory", capacity("memory"), scaling.capacity);
  }
  add_resource("ephemeral-storage", capacity("ephemeral-disk"), scaling.capacity);
  add_resource("pods", capacity("maxPods"), scaling.capacity);
  const Node& gpus = annotations["machine.openshift.io/GPU"];
  const std::string_view type = capacity("gpu-type").text();
  add_resource(type.empty() ? "nvidia.com/gpu" : type, gpus ? gpus : capacity("gpu-count"),
               scaling.capacity);
  const Node& most = annotated(annotations, "cluster-api-autoscaler-node-group-max-size");
  scaling.max_nodes = count_in(most);
  if (!most) {
    scaling.doubt =
        "unknown whether an autoscaler manages it: it has no annotation "
        "cluster-api-autoscaler-node-group-max-size";
  }
}

/// OpenShift's MachineSet; its annotation machine.openshift.io/GPU counts the cards.
NodePool machine_set(const k8s::Object& object) {
  NodePool pool = named(object);
  const Node& machine = object.spec()["template"]["spec"];
  pool.labels = k8s::labels_in(machine["metadata"]["labels"]);
  pool.taints = k8s::taints_in(machine["taints"]);
  add_annotated(pool, object.annotations());
  const Node& provider = machine["providerSpec"]["value"];
  see_instance_type(pool, provider["instanceType"]);
  see_instance_type(pool, provider["vmSize"]);
  see_instance_type(pool, provider["machineType"]);
  add_annotated_capacity(pool.scaling, object.annotations());
  // The provider's controller writes the annotations of the instance type [A52].
  if (pool.vendor != nullptr && !object.annotations()["machine.openshift.io/GPU"]) {
    pool.scaling.capacity.clear();
  }
  pool.scaling.nodes = count_in(object.spec()["replicas"]);
  static constexpr auto kNvidia = accelerators::Vendor::nvidia;
  for (const std::string_view key :
       {"machine.openshift.io/GPU", "capacity.cluster-autoscaler.kubernetes.io/gpu-count"}) {
    const Node& count = object.annotations().under(key);
    if (count.is_scalar() && count.text() != "0") see(pool, &kNvidia, count);
  }
  return pool;
}

/// Of Cluster API: the labels and taints are in other objects, unless annotations repeat them.
std::vector<NodePool> machine_deployment(const k8s::Object& object) {
  NodePool pool = machine_set(object);
  if (pool.scaling.capacity.empty()) return {};
  return {std::move(pool)};
}

/// The kubelet's argument of that name: a mapping holds them, or a list of {name, value}.
const Node& kubelet_argument(const Node& arguments, std::string_view name) {
  for (const Node* item : arguments.items()) {
    if ((*item)["name"].text() == name) return (*item)["value"];
  }
  return arguments.under(name);
}

/// --node-labels=a=b,c=d and --register-with-taints=key=value:Effect,…
void add_kubelet_arguments(NodePool& pool, const Node& arguments) {
  const Node& labels = kubelet_argument(arguments, "node-labels");
  for (const std::string_view pair : split(labels.text(), ',')) {
    if (const auto label = label_in(pair, labels)) pool.labels.push_back(*label);
  }
  const Node& taints = kubelet_argument(arguments, "register-with-taints");
  for (const std::string_view text : split(taints.text(), ',')) {
    if (const auto taint = taint_in(text, taints)) pool.taints.push_back(*taint);
  }
}

NodePool kubeadm_config(const k8s::Object& object) {
  NodePool pool = named(object);
  const Node& spec =
      object.kind == "KubeadmConfigTemplate" ? object.spec()["template"]["spec"] : object.spec();
  const Node& registration = spec["joinConfiguration"]["nodeRegistration"];
  pool.taints = k8s::taints_in(registration["taints"]);
  add_kubelet_arguments(pool, registration["kubeletExtraArgs"]);
  return pool;
}

NodePool eks_config(const k8s::Object& object) {
  NodePool pool = named(object);
  add_kubelet_arguments(pool, object.spec()["template"]["spec"]["kubeletExtraArgs"]);
  return pool;
}

NodePool managed_machine_pool(const k8s::Object& object) {
  NodePool pool = named(object);
  const Node& spec = object.spec();
  for (const std::string_view field : {"labels", "nodeLabels", "kubernetesLabels"}) {
    const auto labels = k8s::labels_in(spec.under(field));
    pool.labels.insert(pool.labels.end(), labels.begin(), labels.end());
  }
  for (const std::string_view field : {"taints", "kubernetesTaints"}) {
    const auto taints = k8s::taints_in(spec.under(field));
    pool.taints.insert(pool.taints.end(), taints.begin(), taints.end());
  }
  for (const std::string_view field : {"instanceType", "sku", "machineType"}) {
    see_instance_type(pool, spec.under(field));
  }
  for (const std::string_view field : {"maxSize", "maxCount"}) {
    const auto most = count_in(spec["scaling"].under(field));
    if (most) pool.scaling.max_nodes = most;
  }
  // GKE runs its own plugin, which tolerates everything.
  pool.brings_own_plugin = object.kind == "GCPManagedMachinePool";
  return pool;
}

std::vector<NodePool> pools_of_kind(const k8s::Object& object) {
  if (object.is("", "Node")) return {node(object)};
  if (object.group() == "karpenter.sh") return {karpenter(object)};
  if (object.is("eksctl.io", "ClusterConfig")) return eksctl(object);
  if (object.is("machine.openshift.io", "MachineSet")) return {machine_set(object)};
  if (object.group() == "cluster.x-k8s.io") return machine_deployment(object);
  if (object.kind == "EKSConfigTemplate") return {eks_config(object)};
  if (object.group() == "bootstrap.cluster.x-k8s.io") return {kubeadm_config(object)};
  if (object.group() == "infrastructure.cluster.x-k8s.io") return {managed_machine_pool(object)};
  return {};
}

}  // namespace

std::vector<NodePool> node_pools_in(const k8s::Object& object) {
  std::vector<NodePool> pools = pools_of_kind(object);
  for (NodePool& pool : pools) find_accelerator(pool);
  return pools;
}

std::string described(const NodePool& pool) {
  if (pool.object == nullptr) return fmt::format("node pool '{}'", printable(pool.name));
  if (pool.object->is("eksctl.io", "ClusterConfig")) {
    return fmt::format("node group '{}'", printable(pool.name));
  }
  return fmt::format("{} '{}'", printable(pool.object->kind), printable(pool.name));
}

bool is_of_karpenter(const NodePool& pool) {
  return pool.object != nullptr && pool.object->group() == "karpenter.sh";
}

void find_accelerator(NodePool& pool) {
  for (const k8s::Label& label : pool.labels) {
    see(pool, accelerators::vendor_from_label(label.key, label.value), *label.node);
  }
  // The conventional taint is put on nodes with cards, and on no others.
  for (const k8s::Taint& taint : pool.taints) {
    const auto* resource = accelerators::find_resource(taint.key);
    if (resource != nullptr) see(pool, &resource->vendor, *taint.node);
  }
}

}  // namespace cnsched::facts
