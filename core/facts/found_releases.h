#pragma once

#include <optional>
#include <span>

#include "core/k8s/object.h"
#include "core/facts/stated_release.h"

namespace cnsched::facts {

/// The releases that a dump of a cluster shows.
struct FoundReleases {
  StatedReleases stated{};  ///< at most one of each project
  std::optional<Version> knative{};
};

/// The release of the API server that the output of `kubectl version -o yaml` states
/// (`serverVersion`); missing if `root` is none.
const yaml::Node& server_version(const yaml::Node& root);

/// What the objects of a dump show: Nodes their kubelet, and Deployments of controllers their image
/// or label. `server_versions` are those of `kubectl version`. Of several releases of a controller,
/// which belong to several clusters, none holds. Releases that the tables do not know are left out.
FoundReleases releases_in(std::span<const k8s::Object* const> objects,
                          std::span<const yaml::Node* const> server_versions);

}  // namespace cnsched::facts
