// Source: pkg/scheduler/framework/plugins/nodedeclaredfeatures/nodedeclaredfeatures.go and
// k8s.io/component-helpers nodedeclaredfeatures/features; on by default since 1.36.

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/sim/plugin.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

bool restarts_all_containers(const k8s::PodSpec& spec) {
  return std::ranges::any_of(spec.all_containers(), [](const k8s::Container& container) {
    return std::ranges::any_of(
        (*container.node)["restartPolicyRules"].items(),
        [](const yaml::Node* rule) { return (*rule)["action"].text() == "RestartAllContainers"; });
  });
}

/// The feature of the kubelet that the pod needs, and where the manifest requires it.
struct RequiredFeature {
  std::string_view name;
  const yaml::Node* written = nullptr;
};

std::vector<RequiredFeature> required_features(const k8s::PodSpec& spec) {
  std::vector<RequiredFeature> features;
  if (restarts_all_containers(spec)) {
    features.push_back({"RestartAllContainersOnContainerExits", &spec["containers"]});
  }
  if (yaml::boolean_of(spec["hostNetwork"].text()) == true &&
      yaml::boolean_of(spec["hostUsers"].text()) == false) {
    features.push_back({"UserNamespacesHostNetworkSupport", &spec["hostUsers"]});
  }
  return features;
}

bool declares(const facts::NodePool& node, std::string_view feature) {
  return std::ranges::any_of((*node.object)["status"]["declaredFeatures"].items(),
                             [&](const yaml::Node* each) { return each->text() == feature; });
}

void filter_by_features(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  const std::vector<RequiredFeature> required = required_features(pod.spec);
  if (required.empty() || !cluster.runs_kubernetes(1, 36)) return;
  NodeSet lacking = cluster.none();
  (cluster.all() - cluster.autoscaled()).each([&](std::size_t node) {
    for (const RequiredFeature& feature : required) {
      if (declares(cluster.node(node), feature.name)) continue;
      lacking.insert(node);
      if (!result.is_explained(node)) continue;
      result.add_cause(node, {.text = fmt::format("the pod needs the kubelet's feature '{}', which "
                                                  "status.declaredFeatures does not list",
                                                  feature.name),
                              .in_pod = feature.written});
    }
  });
  result.reject(Status::unresolvable, "node(s) didn't match Pod's required features",
                std::move(lacking));
  result.reject_perhaps("unknown which features the kubelets of new nodes have",
                        cluster.autoscaled());
}

}  // namespace

constinit const Plugin node_declared_features{.name = "NodeDeclaredFeatures",
                                              .filter = filter_by_features};

}  // namespace cnsched::sim
