#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/schema/releases.h"
#include "core/source/source_file.h"
#include "core/yaml/node.h"

namespace cnsched {

using k8s::schema::key_of;
using k8s::schema::Project;

}  // namespace cnsched

namespace cnsched::facts {

/// The release of a project on the cluster, and who states it.
struct StatedRelease {
  Version version;
  std::string_view flag{};            ///< "--kserve"; empty: a file states it
  const yaml::Node* place = nullptr;  ///< where in that file
};

/// What one source states. Several releases of a project: manifests are judged with each.
struct StatedReleases {
  std::vector<StatedRelease> kubernetes{};
  std::vector<StatedRelease> kserve{};
  std::vector<StatedRelease> seldon{};

  /// Of `without_release`: none.
  const std::vector<StatedRelease>& of(Project project) const;
  std::vector<StatedRelease>& of(Project project);
};

/// Why the text is no release of the project that cnsched knows; empty if it is one.
std::string mistake_of_release(Project project, std::string_view text);

/// "--kserve" or ".cnsched.yaml:3"; printable.
std::string describe_source(const StatedRelease& release, const Sources& sources);

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
