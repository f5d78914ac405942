#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/version.h"
#include "core/facts/node_pools.h"
#include "core/facts/stated_release.h"
#include "core/k8s/taint.h"
#include "core/yaml/shape.h"

namespace cnsched::facts {

/// What the `cluster:` section of .cnsched.yaml states about the cluster. What it does not state is
/// unknown. The nodes belong to the configuration's document.
struct ClusterConfig {
  StatedReleases releases;
  std::optional<Version> knative;
  std::optional<Version> open_data_hub;
  const yaml::Node* default_deployment_mode = &yaml::missing_node();
  const yaml::Node* knative_features = &yaml::missing_node();  ///< flag: state
  std::optional<bool> extended_resource_toleration;
  std::optional<bool> runtimes_complete;
  std::optional<bool> kserve_webhooks;
  const yaml::Node* device_plugin = &yaml::missing_node();  ///< holds `tolerations`
  std::vector<NodePool> node_pools;
};

/// The shape of the section. Its `files` are read by the caller, who has the path of the
/// configuration.
const yaml::Shape& cluster_shape();
/// The lines of a configuration that state how the cluster deploys services, with the examples of
/// `cluster_shape` as values.
std::string deployment_snippet();
/// `section` has that shape, or is missing.
ClusterConfig read_cluster_config(const yaml::Node& section);

}  // namespace cnsched::facts
