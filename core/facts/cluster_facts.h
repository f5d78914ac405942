#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/version.h"
#include "core/facts/cluster_config.h"
#include "core/facts/node_pools.h"
#include "core/k8s/api_kinds.h"
#include "core/k8s/controller_config.h"
#include "core/k8s/schema/schema.h"
#include "core/kserve/deployment_mode.h"
#include "core/kserve/knative_features.h"

namespace cnsched::facts {

/// A device plugin that runs, or will run.
struct PluginFact {
  accelerators::Vendor vendor = accelerators::Vendor::nvidia;
  std::string what;                   ///< "DaemonSet 'nvidia-device-plugin'"
  const yaml::Node* where = nullptr;  ///< its tolerations, or where they belong
  std::vector<k8s::Toleration> tolerations;
};

/// The objects of each SchedulingKind, in the order of the files.
class SchedulingObjects {
 public:
  /// Ignores an object of another kind.
  void add(const k8s::Object& object);
  const std::vector<const k8s::Object*>& operator[](k8s::SchedulingKind kind) const {
    return by_kind_[static_cast<std::size_t>(kind)];
  }

 private:
  std::array<std::vector<const k8s::Object*>, k8s::kSchedulingKinds> by_kind_;
};

/// What is known about the cluster; everything else is unknown and never assumed. Facts come from
/// linted files, from --cluster files and from the configuration, which overrides the others.
struct ClusterFacts {
  /// The types of the kinds, by the releases of the cluster.
  k8s::schema::Schemas schemas;
  /// What files of facts show of releases.
  StatedReleases found_releases;
  /// Who states the releases that hold.
  std::map<Project, StatedRelease> stated_releases;
  std::optional<Version> knative;
  std::optional<Version> open_data_hub;
  kserve::DefaultMode default_mode;
  k8s::ControllerConfig kserve_config;
  k8s::ControllerConfig seldon_config;  ///< of Seldon Core 1
  std::vector<kserve::FeatureMap> knative_features;
  std::optional<bool> extended_resource_toleration;
  /// Whether all ServingRuntimes and ClusterServingRuntimes of the cluster are known.
  bool runtimes_complete = false;
  /// The namespaces of which all HardwareProfiles are known.
  std::set<std::string_view> namespaces_with_profiles;
  /// The namespaces of which all LocalQueues of Kueue are known.
  std::set<std::string_view> namespaces_with_queues;
  std::optional<bool> kserve_webhooks;  ///< whether KServe's webhooks run
  std::vector<PluginFact> plugins;
  std::vector<NodePool> pools;
  std::vector<const k8s::Object*> bound_pods;       ///< Pods that name the node they run on
  std::vector<const k8s::Object*> runtime_classes;  ///< of node.k8s.io
  SchedulingObjects scheduling;
  /// The types that a snapshot could not read, as kubectl names them: they may have objects.
  std::set<std::string, std::less<>> unread_types;

  const k8s::schema::Releases& releases() const { return schemas.releases(); }
  void set_releases(std::map<Project, StatedRelease> stated);

  /// Whether anything states the default deployment mode or Knative's feature flags.
  bool shows_deployment() const {
    return default_mode.node != nullptr || !knative_features.empty();
  }
};

/// The facts that objects hold, from whatever file.
ClusterFacts facts_in(const std::vector<const k8s::Object*>& objects);
/// Whether KServe's configuration has a default strategy of Deployments, which KServe uses if
/// Standard is the default mode.
bool has_default_rollout(const ClusterFacts& facts);
/// `facts`, overridden by a configuration.
ClusterFacts with_config(ClusterFacts facts, const ClusterConfig& config);

}  // namespace cnsched::facts
