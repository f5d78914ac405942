#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"

namespace cnsched::k8s {

/// Whether cnsched checks the object, or reads it as a fact about the cluster (SchedulingKind). The
/// group decides, never the kind alone: other projects have an InferenceService too.
bool in_scope(const Object& object);

/// The values of `apiVersion` and `kind` under a key in the wrong case, such as `apiversion`, if
/// the object would be in scope with the right keys.
std::vector<const yaml::Node*> miscased_fields(const Object& object);

/// Whether the object has a model server's kind and no `apiVersion`, in any case.
bool lacks_api_version(const Object& object);

/// Whether a template may render an object in scope, by the words in its text.
bool template_may_be_in_scope(std::string_view text);

/// Whether text that cannot be parsed is in scope, by its apiVersion and kind lines.
bool broken_text_in_scope(std::string_view text);

/// A group of the API and what of it is in scope, for people.
struct GroupInScope {
  std::string_view group;  ///< empty: the core group
  std::string kinds;       ///< "Deployment, StatefulSet"
};
/// In the order of the table.
std::vector<GroupInScope> groups_in_scope();

/// Whether the group is one of KServe or Seldon.
bool is_serving_group(std::string_view group);

/// Kinds in scope, by group; "*" is every kind of the group; a name restricts the row to objects of
/// that name.
struct ScopeRow {
  std::string_view group;
  std::string_view kind;
  std::string_view name = {};
};

inline constexpr auto kScope = std::to_array<ScopeRow>({
    {"serving.kserve.io", "*"},
    {"serving.kubeflow.org", "*"},
    {"mlops.seldon.io", "*"},
    {"machinelearning.seldon.io", "*"},
    {"operator.knative.dev", "*"},
    {"", "Pod"},
    {"apps", "Deployment"},
    {"extensions", "Deployment"},
    {"apps", "StatefulSet"},
    {"apps", "DaemonSet"},
    {"extensions", "DaemonSet"},
    {"apps", "ReplicaSet"},
    {"batch", "Job"},
    {"batch", "CronJob"},
    {"", "Node"},
    {"node.k8s.io", "RuntimeClass"},
    {"infrastructure.opendatahub.io", "HardwareProfile"},
    {"dashboard.opendatahub.io", "HardwareProfile"},
    {"kueue.x-k8s.io", "LocalQueue"},
    {"kueue.x-k8s.io", "ClusterQueue"},
    {"kueue.x-k8s.io", "ResourceFlavor"},
    {"kueue.x-k8s.io", "Topology"},
    {"karpenter.sh", "NodePool"},
    {"karpenter.sh", "Provisioner"},
    {"eksctl.io", "ClusterConfig"},
    {"machine.openshift.io", "MachineSet"},
    {"bootstrap.cluster.x-k8s.io", "KubeadmConfigTemplate"},
    {"bootstrap.cluster.x-k8s.io", "KubeadmConfig"},
    {"bootstrap.cluster.x-k8s.io", "EKSConfigTemplate"},
    {"infrastructure.cluster.x-k8s.io", "AWSManagedMachinePool"},
    {"infrastructure.cluster.x-k8s.io", "AzureManagedMachinePool"},
    {"infrastructure.cluster.x-k8s.io", "GCPManagedMachinePool"},
    {"nvidia.com", "ClusterPolicy"},
    {"", "ConfigMap", "config-features"},
    {"", "ConfigMap", "inferenceservice-config"},
    {"", "ConfigMap", "seldon-config"},
});

/// The prefix of most keys of Knative's config-features: a ConfigMap of another name with such a
/// key was probably intended as config-features.
inline constexpr std::string_view kKnativeFlag = "kubernetes.podspec-";

/// Kinds that are model servers in any group.
inline constexpr auto kServingKinds = std::to_array<std::string_view>(
    {"InferenceService", "InferenceGraph", "ServingRuntime", "ClusterServingRuntime",
     "LLMInferenceService", "LLMInferenceServiceConfig", "TrainedModel", "SeldonDeployment",
     "SeldonRuntime", "SeldonConfig", "ServerConfig"});

constexpr bool is_serving_kind(std::string_view kind) {
  return std::ranges::find(kServingKinds, kind) != kServingKinds.end();
}

}  // namespace cnsched::k8s
