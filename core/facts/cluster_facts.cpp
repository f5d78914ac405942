#include "core/facts/cluster_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/k8s/pod_spec.h"
#include "core/k8s/workloads.h"

namespace cnsched::facts {

namespace {

using yaml::Node;

/// The name of an object, or its kind, which is always there.
const Node& name_or_kind(const k8s::Object& object) {
  const Node& name = object["metadata"]["name"];
  return name ? name : object["kind"];
}

/// The tolerations, or the node to point at without any.
const Node& tolerations_or(const Node& holder, const Node& otherwise) {
  const Node& tolerations = holder["tolerations"];
  return tolerations ? tolerations : otherwise;
}

/// Every device plugin registers with the kubelet through this directory; feature discovery and
/// monitors, which share its image, do not.
bool registers_with_kubelet(const Node& pod_spec) {
  return std::ranges::any_of(pod_spec["volumes"].items(), [](const Node* volume) {
    std::string_view path = (*volume)["hostPath"]["path"].text();
    if (path.ends_with('/')) path.remove_suffix(1);
    return path.ends_with("/device-plugins");
  });
}

/// A patch has only the fields that it changes, so its name decides.
bool is_patch_of_plugin(const k8s::Object& object, const k8s::PodSpec& pod) {
  return pod.containers().empty() && object.name.find("device-plugin") != std::string_view::npos;
}

void add_plugin_daemon_set(const k8s::Object& object, std::vector<PluginFact>& plugins) {
  if (object.kind != "DaemonSet") return;
  const Node& name = name_or_kind(object);
  for (const k8s::PodTemplate& pod : k8s::pod_templates(object)) {
    if (!registers_with_kubelet(pod.own.node()) && !is_patch_of_plugin(object, pod.own)) continue;
    const accelerators::DevicePlugin* plugin = accelerators::find_plugin_by_image(object.name);
    for (const k8s::Container& container : pod.own.containers()) {
      const auto* found = accelerators::find_plugin_by_image((*container.node)["image"].text());
      if (found != nullptr) plugin = found;
    }
    if (plugin == nullptr) continue;
    plugins.push_back({plugin->vendor, fmt::format("DaemonSet '{}'", object.name),
                       &tolerations_or(pod.own.node(), name), pod.own.tolerations()});
  }
}

/// The GPU operator: daemonsets.tolerations replace the operands' own list.
void add_cluster_policy(const k8s::Object& object, std::vector<PluginFact>& plugins) {
  if (!object.is("nvidia.com", "ClusterPolicy")) return;
  const Node& daemonsets = object.spec()["daemonsets"];
  PluginFact fact{accelerators::Vendor::nvidia, fmt::format("ClusterPolicy '{}'", object.name),
                  &tolerations_or(daemonsets, name_or_kind(object)),
                  k8s::tolerations_in(daemonsets["tolerations"])};
  if (daemonsets["tolerations"].is_empty()) {
    fact.tolerations.push_back({.node = nullptr,
                                .key = "nvidia.com/gpu",
                                .op = "Exists",
                                .value = {},
                                .effect = k8s::kNoSchedule});
  }
  plugins.push_back(std::move(fact));
}

/// The value of the API server's flag that names admission plugins, or nothing.
std::string_view admission_plugins(const Node& container) {
  constexpr std::string_view kFlag = "--enable-admission-plugins=";
  for (const std::string_view list : {"command", "args"}) {
    for (const Node* argument : container.under(list).items()) {
      if (argument->text().starts_with(kFlag)) return argument->text().substr(kFlag.size());
    }
  }
  return {};
}

/// Whether the API server of this pod runs ExtendedResourceToleration, which is off unless its flag
/// names it; nothing if the pod is none, or is determined in another way than by that flag.
std::optional<bool> runs_toleration_admission(const k8s::Object& object) {
  if (!object.is("", "Pod") || object.labels()["component"].text() != "kube-apiserver") {
    return std::nullopt;
  }
  for (const Node* container : object.spec()["containers"].items()) {
    const std::string_view plugins = admission_plugins(*container);
    if (plugins.empty()) continue;
    const auto names = split(plugins, ',');
    return std::ranges::find(names, "ExtendedResourceToleration") != names.end();
  }
  return std::nullopt;
}

}  // namespace

void SchedulingObjects::add(const k8s::Object& object) {
  const auto kind = k8s::scheduling_kind_of(object);
  if (kind) by_kind_[static_cast<std::size_t>(*kind)].push_back(&object);
}

ClusterFacts facts_in(const std::vector<const k8s::Object*>& objects) {
  ClusterFacts facts;
  std::vector<const k8s::Object*> kserve_configs;
  std::vector<const k8s::Object*> seldon_configs;
  bool one_admission = true;  // API servers of several clusters that differ prove nothing
  for (const k8s::Object* object : objects) {
    for (const kserve::FeatureMap& map : kserve::feature_maps_in(*object)) {
      facts.knative_features.push_back(map);
    }
    if (object->is("", "ConfigMap") && object->name == "inferenceservice-config") {
      kserve_configs.push_back(object);
      if (const auto mode = kserve::default_mode_in(*object)) {
        // With differing defaults of several clusters, the default is unknown.
        if (facts.default_mode.node != nullptr && facts.default_mode.mode != mode->mode) {
          facts.default_mode.mode = kserve::DeploymentMode::unknown;
        } else {
          facts.default_mode = *mode;
        }
      }
    }
    if (object->is("", "ConfigMap") && object->name == "seldon-config") {
      seldon_configs.push_back(object);
    }
    if (const auto admission = runs_toleration_admission(*object)) {
      one_admission &= facts.extended_resource_toleration.value_or(*admission) == *admission;
      facts.extended_resource_toleration = admission;
    }
    add_plugin_daemon_set(*object, facts.plugins);
    add_cluster_policy(*object, facts.plugins);
    if (object->is("", "Pod") && (!object->spec()["nodeName"].text().empty() ||
                                  !(*object)["status"]["nominatedNodeName"].text().empty())) {
      facts.bound_pods.push_back(object);
    }
    if (object->is("node.k8s.io", "RuntimeClass")) facts.runtime_classes.push_back(object);
    facts.scheduling.add(*object);
    for (NodePool& pool : node_pools_in(*object)) facts.pools.push_back(std::move(pool));
  }
  if (!one_admission) facts.extended_resource_toleration.reset();
  // The same applies to configurations of several clusters.
  if (kserve_configs.size() == 1) {
    facts.kserve_config = k8s::ControllerConfig(*kserve_configs.front());
  }
  if (seldon_configs.size() == 1) {
    facts.seldon_config = k8s::ControllerConfig(*seldon_configs.front());
  }
  return facts;
}

void ClusterFacts::set_releases(std::map<Project, StatedRelease> stated) {
  k8s::schema::Releases releases;
  for (const auto& [project, release] : stated) releases.of(project) = release.version;
  schemas = k8s::schema::Schemas(releases);
  stated_releases = std::move(stated);
}

bool has_default_rollout(const ClusterFacts& facts) {
  if (facts.default_mode.mode != kserve::DeploymentMode::standard) return false;
  return std::ranges::any_of(std::array{"maxSurge", "maxUnavailable"}, [&](const char* field) {
    return facts.kserve_config.has(
        fmt::format("deploy/deploymentRolloutStrategy/defaultRollout/{}", field));
  });
}

ClusterFacts with_config(ClusterFacts facts, const ClusterConfig& config) {
  if (config.knative) facts.knative = config.knative;
  facts.open_data_hub = config.open_data_hub;
  if (config.extended_resource_toleration) {
    facts.extended_resource_toleration = config.extended_resource_toleration;
  }
  facts.kserve_webhooks = config.kserve_webhooks;
  if (config.runtimes_complete) facts.runtimes_complete = *config.runtimes_complete;
  if (const auto* mode = kserve::find_mode_name(config.default_deployment_mode->text())) {
    facts.default_mode = {mode->mode, config.default_deployment_mode};
  }
  if (config.knative_features->is_mapping()) {
    facts.knative_features = {{config.knative_features, config.knative_features->key()}};
  }
  if (*config.device_plugin) {
    const Node& tolerations = (*config.device_plugin)["tolerations"];
    facts.plugins = {{accelerators::Vendor::nvidia, "the device plugin of the configuration",
                      tolerations ? &tolerations : config.device_plugin,
                      k8s::tolerations_in(tolerations)}};
  }
  facts.pools.insert(facts.pools.end(), config.node_pools.begin(), config.node_pools.end());
  return facts;
}

}  // namespace cnsched::facts
