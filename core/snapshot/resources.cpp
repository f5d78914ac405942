#include "core/snapshot/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/k8s/api_kinds.h"

namespace cnsched::snapshot {

namespace {

constexpr std::string_view kDefinitions = "CustomResourceDefinition";
// The configurations of rclone and Kafka may hold credentials.
constexpr std::string_view kSeldonRuntime =
    "metadata.labels metadata.annotations spec.overrides spec.seldonConfig "
    "spec.disableAutoUpdate spec.config.scalingConfig";
constexpr std::string_view kSeldonConfig =
    "metadata.labels metadata.annotations spec.components spec.config.scalingConfig";
constexpr std::string_view kWholeSpec = "metadata.labels metadata.annotations spec";

// Pods that may occupy a node, or for which pods were evicted from one.
constexpr std::string_view kActivePods =
    "--field-selector=status.phase!=Succeeded,status.phase!=Failed";

// Of containers, what the scheduler counts; of the API server's, one flag (core/snapshot/reduce).
constexpr std::string_view kPodFields =
    "metadata.labels metadata.deletionTimestamp status.phase status.startTime "
    "status.nominatedNodeName "
    "status.conditions.type status.conditions.status status.conditions.reason "
    "status.containerStatuses.name status.containerStatuses.resources "
    "status.containerStatuses.allocatedResources status.initContainerStatuses.name "
    "status.initContainerStatuses.resources status.initContainerStatuses.allocatedResources "
    "status.resources status.allocatedResources spec.affinity spec.hostNetwork "
    "spec.nodeName spec.nodeSelector spec.overhead spec.preemptionPolicy spec.priority "
    "spec.priorityClassName spec.resourceClaims spec.resources spec.restartPolicy "
    "spec.runtimeClassName spec.schedulerName spec.schedulingGates spec.tolerations "
    "spec.topologySpreadConstraints spec.containers.name spec.containers.resources "
    "spec.containers.ports spec.containers.command spec.containers.args spec.initContainers.name "
    "spec.initContainers.resources spec.initContainers.ports spec.initContainers.restartPolicy "
    "spec.volumes.name spec.volumes.persistentVolumeClaim spec.volumes.ephemeral "
    "spec.volumes.gcePersistentDisk spec.volumes.awsElasticBlockStore spec.volumes.azureDisk "
    "spec.volumes.cinder.volumeID spec.volumes.portworxVolume spec.volumes.iscsi.iqn "
    "spec.volumes.iscsi.readOnly spec.volumes.rbd.monitors spec.volumes.rbd.pool "
    "spec.volumes.rbd.image spec.volumes.rbd.readOnly";

constexpr std::string_view kPluginFields =
    "spec.template.metadata.labels spec.template.spec.affinity spec.template.spec.nodeSelector "
    "spec.template.spec.tolerations spec.template.spec.containers.name "
    "spec.template.spec.containers.image spec.template.spec.containers.resources "
    "spec.template.spec.volumes.name spec.template.spec.volumes.hostPath.path";

constexpr std::string_view kControllerFields =
    "metadata.labels spec.template.spec.containers.name spec.template.spec.containers.image";

// Of providerSpec only the type: it may name credentials.
constexpr std::string_view kMachineSetFields =
    "metadata.annotations spec.replicas spec.template.spec.metadata.labels "
    "spec.template.spec.taints spec.template.spec.providerSpec.value.instanceType "
    "spec.template.spec.providerSpec.value.vmSize "
    "spec.template.spec.providerSpec.value.machineType";

constexpr auto kResources = std::to_array<Resource>({
    {.group = "",
     .kind = "Node",
     .plural = "nodes",
     .why = "labels, taints, resources and the kubelet's version",
     .fields = "metadata.labels spec.taints spec.unschedulable status.allocatable status.capacity "
               "status.declaredFeatures status.nodeInfo.kubeletVersion status.nodeInfo.osImage"},
    {.group = "",
     .kind = "Pod",
     .plural = "pods",
     .why = "what running pods request, and what repels other pods",
     .fields = kPodFields,
     .namespaced = true,
     .selection = kActivePods},
    {.group = "node.k8s.io",
     .kind = "RuntimeClass",
     .plural = "runtimeclasses",
     .why = "node selectors, tolerations and overhead",
     .fields = "overhead scheduling"},
    {.group = "apps",
     .kind = "DaemonSet",
     .plural = "daemonsets",
     .why = "tolerations of device plugins; others are left out",
     .fields = kPluginFields,
     .namespaced = true,
     .key = "devicePlugin"},
    {.group = "nvidia.com",
     .kind = "ClusterPolicy",
     .plural = "clusterpolicies",
     .why = "tolerations of the GPU operator's device plugin",
     .fields = "spec.daemonsets.tolerations",
     .key = "devicePlugin"},
    {.group = "karpenter.sh",
     .kind = "NodePool",
     .plural = "nodepools",
     .why = "nodes that Karpenter can add",
     .fields = "spec.limits spec.replicas spec.template.metadata.labels "
               "spec.template.spec.nodeClassRef spec.template.spec.requirements "
               "spec.template.spec.taints spec.weight status.resources"},
    {.group = "machine.openshift.io",
     .kind = "MachineSet",
     .plural = "machinesets",
     .why = "nodes that OpenShift's autoscaler can add",
     .fields = kMachineSetFields,
     .namespaced = true},
    {.group = "serving.kserve.io",
     .kind = "ServingRuntime",
     .plural = "servingruntimes",
     .why = "what KServe merges into pods",
     .fields = kWholeSpec,
     .namespaced = true},
    {.group = "serving.kserve.io",
     .kind = "ClusterServingRuntime",
     .plural = "clusterservingruntimes",
     .why = "what KServe merges into pods",
     .fields = kWholeSpec},
    {.group = "serving.kserve.io",
     .kind = "LLMInferenceServiceConfig",
     .plural = "llminferenceserviceconfigs",
     .why = "what KServe merges into pods",
     .fields = kWholeSpec,
     .namespaced = true},
    {.group = "serving.kserve.io",
     .kind = "ClusterStorageContainer",
     .plural = "clusterstoragecontainers",
     .why = "init containers that download models",
     .fields = "disabled spec"},
    {.group = "",
     .kind = "ConfigMap",
     .plural = "configmaps",
     .why = "settings of KServe",
     .fields = "data.agent data.deploy data.ingress data.router data.security "
               "data.storageInitializer",
     .namespaced = true,
     .name = "inferenceservice-config"},
    {.group = "",
     .kind = "ConfigMap",
     .plural = "configmaps",
     .why = "Knative's feature flags",
     .fields = "data",
     .namespaced = true,
     .name = "config-features",
     .key = "knativeFeatures"},
    {.group = "operator.knative.dev",
     .kind = "KnativeServing",
     .plural = "knativeservings",
     .why = "Knative's feature flags and scaling to zero",
     .fields = "spec.config.features spec.config.config-features spec.config.autoscaler "
               "spec.config.config-autoscaler",
     .namespaced = true},
    {.group = "infrastructure.opendatahub.io",
     .kind = "HardwareProfile",
     .plural = "hardwareprofiles",
     .why = "what Open Data Hub merges into pods",
     .fields = "spec",
     .namespaced = true},
    {.group = "dashboard.opendatahub.io",
     .kind = "HardwareProfile",
     .plural = "hardwareprofiles",
     .why = "what Open Data Hub merges into pods",
     .fields = "spec",
     .namespaced = true},
    {.group = "kueue.x-k8s.io",
     .kind = "LocalQueue",
     .plural = "localqueues",
     .why = "queues of namespaces",
     .fields = "spec.clusterQueue spec.stopPolicy",
     .namespaced = true},
    {.group = "kueue.x-k8s.io",
     .kind = "ClusterQueue",
     .plural = "clusterqueues",
     .why = "quotas and flavors",
     .fields = "spec.cohort spec.cohortName spec.namespaceSelector spec.resourceGroups "
               "spec.stopPolicy"},
    {.group = "kueue.x-k8s.io",
     .kind = "ResourceFlavor",
     .plural = "resourceflavors",
     .why = "node labels, taints and tolerations of flavors",
     .fields = "spec.nodeLabels spec.nodeTaints spec.tolerations spec.topologyName"},
    {.group = "kueue.x-k8s.io",
     .kind = "Topology",
     .plural = "topologies",
     .why = "node labels of topologies",
     .fields = "spec.levels"},
    {.group = "mlops.seldon.io",
     .kind = "Server",
     .plural = "servers",
     .why = "pods and capabilities of Servers",
     .fields = kWholeSpec,
     .namespaced = true},
    {.group = "mlops.seldon.io",
     .kind = "ServerConfig",
     .plural = "serverconfigs",
     .why = "what Seldon Core merges into Servers",
     .fields = kWholeSpec,
     .namespaced = true},
    {.group = "mlops.seldon.io",
     .kind = "SeldonRuntime",
     .plural = "seldonruntimes",
     .why = "namespaces with an installation of Seldon Core",
     .fields = kSeldonRuntime,
     .namespaced = true},
    {.group = "mlops.seldon.io",
     .kind = "SeldonConfig",
     .plural = "seldonconfigs",
     .why = "what Seldon Core merges into SeldonRuntimes",
     .fields = kSeldonConfig,
     .namespaced = true},
    {.group = "",
     .kind = "ConfigMap",
     .plural = "configmaps",
     .why = "images and settings of Seldon Core 1",
     .fields = "data.explainer data.predictor_servers data.storageInitializer",
     .namespaced = true,
     .name = "seldon-config"},
    {.group = "apps",
     .kind = "Deployment",
     .plural = "deployments",
     .why = "the release of KServe",
     .fields = kControllerFields,
     .namespaced = true,
     .name = "kserve-controller-manager",
     .key = "kserve"},
    {.group = "apps",
     .kind = "Deployment",
     .plural = "deployments",
     .why = "the release of Knative",
     .fields = kControllerFields,
     .namespaced = true,
     .selection = "-l=app.kubernetes.io/name=knative-serving",
     .name = "controller",
     .key = "knative"},
    {.group = "apps",
     .kind = "Deployment",
     .plural = "deployments",
     .why = "the release of Seldon Core 2, and the namespace whose configs it reads",
     .fields = kControllerFields,
     .namespaced = true,
     .name = "seldon-v2-controller-manager"},
    {.group = "apps",
     .kind = "Deployment",
     .plural = "deployments",
     .why = "the release of Seldon Core 1",
     .fields = kControllerFields,
     .namespaced = true,
     .name = "seldon-controller-manager",
     .key = "seldon"},
    {.group = "apiextensions.k8s.io",
     .kind = kDefinitions,
     .plural = "customresourcedefinitions",
     .why = "fields of the kinds of KServe, Seldon Core and Knative; without descriptions",
     .fields = "spec.group spec.names.kind spec.names.plural spec.scope spec.version "
               "spec.versions.name spec.versions.served spec.versions.storage "
               "spec.versions.schema spec.versions.subresources"},
    {.group = "",
     .kind = "LimitRange",
     .plural = "limitranges",
     .why = "default resources of containers, and their limits",
     .fields = "spec.limits",
     .namespaced = true},
    {.group = "",
     .kind = "ResourceQuota",
     .plural = "resourcequotas",
     .why = "quotas of namespaces, and what is used of them",
     .fields = "spec status.hard status.used",
     .namespaced = true},
    {.group = "scheduling.k8s.io",
     .kind = "PriorityClass",
     .plural = "priorityclasses",
     .why = "priorities, which decide what pods preempt",
     .fields = "globalDefault preemptionPolicy value"},
    {.group = "policy",
     .kind = "PodDisruptionBudget",
     .plural = "poddisruptionbudgets",
     .why = "which pods preemption evicts last",
     .fields = "spec.selector status.disruptionsAllowed status.disruptedPods",
     .namespaced = true},
    {.group = "",
     .kind = "PersistentVolume",
     .plural = "persistentvolumes",
     .why = "nodes that can mount volumes",
     .fields = "metadata.annotations metadata.labels metadata.deletionTimestamp spec.accessModes "
               "spec.awsElasticBlockStore spec.azureDisk spec.capacity spec.cinder.volumeID "
               "spec.claimRef.name spec.claimRef.namespace spec.claimRef.uid spec.csi.driver "
               "spec.csi.volumeHandle spec.gcePersistentDisk spec.nodeAffinity "
               "spec.portworxVolume spec.storageClassName spec.volumeAttributesClassName "
               "spec.volumeMode status.phase"},
    {.group = "",
     .kind = "PersistentVolumeClaim",
     .plural = "persistentvolumeclaims",
     .why = "volumes of pods",
     .fields = "metadata.annotations metadata.deletionTimestamp metadata.labels "
               "metadata.ownerReferences.controller metadata.ownerReferences.kind "
               "metadata.ownerReferences.name metadata.uid spec.accessModes spec.resources "
               "spec.selector spec.storageClassName spec.volumeAttributesClassName "
               "spec.volumeMode spec.volumeName status.phase",
     .namespaced = true},
    {.group = "storage.k8s.io",
     .kind = "StorageClass",
     .plural = "storageclasses",
     .why = "when and where volumes are made",
     .fields = "metadata.annotations metadata.creationTimestamp allowedTopologies provisioner "
               "volumeBindingMode"},
    {.group = "storage.k8s.io",
     .kind = "CSIDriver",
     .plural = "csidrivers",
     .why = "whether free storage decides where volumes are made",
     .fields = "spec.storageCapacity"},
    {.group = "storage.k8s.io",
     .kind = "CSINode",
     .plural = "csinodes",
     .why = "how many volumes nodes can attach",
     .fields = "metadata.annotations spec.drivers.allocatable spec.drivers.name "
               "spec.drivers.topologyKeys"},
    {.group = "storage.k8s.io",
     .kind = "CSIStorageCapacity",
     .plural = "csistoragecapacities",
     .why = "free storage by node",
     .fields = "capacity maximumVolumeSize nodeTopology storageClassName",
     .namespaced = true},
    {.group = "storage.k8s.io",
     .kind = "VolumeAttachment",
     .plural = "volumeattachments",
     .why = "volumes that are attached to nodes",
     .fields = "spec.attacher spec.nodeName spec.source.persistentVolumeName"},
    {.group = "resource.k8s.io",
     .kind = "DeviceClass",
     .plural = "deviceclasses",
     .why = "devices that claims can request",
     .fields = "metadata.creationTimestamp spec.selectors spec.extendedResourceName"},
    {.group = "resource.k8s.io",
     .kind = "ResourceClaim",
     .plural = "resourceclaims",
     .why = "devices that pods request, and those in use",
     .fields = "metadata.annotations metadata.deletionTimestamp metadata.ownerReferences "
               "spec.devices.requests spec.devices.constraints status.allocation.nodeSelector "
               "status.allocation.allocationTimestamp status.allocation.devices.results "
               "status.reservedFor status.devices.driver status.devices.pool "
               "status.devices.device status.devices.shareID status.devices.conditions",
     .namespaced = true},
    {.group = "resource.k8s.io",
     .kind = "ResourceClaimTemplate",
     .plural = "resourceclaimtemplates",
     .why = "claims of new pods",
     .fields = "spec.spec.devices.requests spec.spec.devices.constraints",
     .namespaced = true},
    {.group = "resource.k8s.io",
     .kind = "ResourceSlice",
     .plural = "resourceslices",
     .why = "devices of nodes",
     .fields = "spec"},
});

/// The names of the CRDs of the kinds that cnsched knows: "inferenceservices.serving.kserve.io".
std::vector<std::string> definition_names() {
  std::vector<std::string> names;
  for (const k8s::ApiKind& kind : k8s::api_kinds()) {
    names.push_back(fmt::format("{}s.{}", lower(kind.kind), kind.group()));
  }
  std::ranges::sort(names);
  const auto [first, last] = std::ranges::unique(names);
  names.erase(first, last);
  return names;
}

Fetch fetch_of(const Resource& resource) {
  Fetch fetch{&resource, {"get", std::string(resource.plural)}};
  std::vector<std::string>& arguments = fetch.arguments;
  if (!resource.group.empty()) arguments.back() += fmt::format(".{}", resource.group);
  if (resource.kind == kDefinitions) {
    // Only these: all definitions of a cluster may be many megabytes.
    for (std::string& name : definition_names()) arguments.push_back(std::move(name));
    arguments.emplace_back("--ignore-not-found");
  }
  if (resource.namespaced) arguments.emplace_back("-A");
  for (const std::string_view word : split(resource.selection, ' ')) {
    if (!word.empty()) arguments.emplace_back(word);
  }
  // kubectl takes no name together with -A.
  if (!resource.name.empty()) {
    arguments.push_back(fmt::format("--field-selector=metadata.name={}", resource.name));
  }
  arguments.insert(arguments.end(), {"-o", "yaml"});
  return fetch;
}

std::string quoted_for_shell(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string Resource::full_name() const {
  std::string text(plural);
  if (!group.empty()) text += fmt::format(".{}", group);
  if (!name.empty()) text += fmt::format("/{}", name);
  return text;
}

bool Resource::matches(const k8s::Object& object) const {
  return object.is(group, kind) && (name.empty() || object.name == name);
}

std::span<const Resource> resources() { return kResources; }

std::string Fetch::what() const {
  return resource == nullptr ? "the version of the API server" : resource->full_name();
}

std::vector<Fetch> fetches(const std::function<bool(std::string_view)>& is_stated,
                           const std::string& context) {
  std::vector<Fetch> all;
  if (!is_stated(kVersionKey)) all.push_back({nullptr, {"version", "-o", "yaml"}});
  for (const Resource& resource : kResources) {
    if (resource.key.empty() || !is_stated(resource.key)) all.push_back(fetch_of(resource));
  }
  if (context.empty()) return all;
  for (Fetch& fetch : all) {
    fetch.arguments.insert(fetch.arguments.begin(), fmt::format("--context={}", context));
  }
  return all;
}

std::string shell_command(const Fetch& fetch, std::size_t indent, std::size_t width) {
  constexpr std::string_view kContinuation = " \\\n";
  const std::string margin(indent + 4, ' ');
  std::string text = std::string(indent, ' ') + "kubectl";
  std::size_t column = text.size();
  for (const std::string& argument : fetch.arguments) {
    const std::string word = quoted_for_shell(argument);
    if (column + 1 + word.size() + kContinuation.size() > width) {
      text += kContinuation;
      text += margin;
      column = margin.size();
    } else {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text;
}

std::string shell_script(std::span<const Fetch> fetches, std::string_view file) {
  constexpr std::size_t kWidth = 100;
  std::string text = "{\n";
  for (const Fetch& fetch : fetches) {
    text += shell_command(fetch, 2, kWidth - std::string_view("; echo ---").size());
    text += "; echo ---\n";
  }
  return text + fmt::format("}} > {}\n", quoted_for_shell(std::string(file)));
}

}  // namespace cnsched::snapshot
