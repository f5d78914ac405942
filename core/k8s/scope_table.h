#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace cnsched::k8s {

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
