#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/packages/origin.h"
#include "core/packages/variant.h"
#include "core/source/read_file.h"

namespace cnsched::packages {

/// Something that an engine renders to manifests.
struct Package {
  /// A Helm chart, or a kustomize overlay (or base).
  enum class Kind : std::uint8_t { chart, overlay };
  Kind kind = Kind::chart;
  /// The directory, or the archive of a chart, as the user named it or as it was found.
  std::string path;
  Variant variant{};  ///< of a chart
  /// Of an overlay the files that its build reads, named below `path` or beside it.
  std::vector<std::string> files{};
  std::vector<std::string> charts{};  ///< of an overlay the directories of charts that it uses
  /// Texts that stand for those of sources, by their path as sources_of() gives it.
  std::map<std::string, std::string> replaced{};
  /// Those of the searched files that are its sources.
  std::vector<std::string> found{};
};

/// Why a package is not rendered, and which.
struct NotRendered : Unreadable {
  std::string package{};  ///< its path
};

/// Packages, and the files that are none of their sources.
struct PackageSearch {
  std::vector<Package> packages{};
  std::vector<std::string> files{};
  /// Packages that must not be rendered, with the reason.
  std::vector<NotRendered> rejected{};
};

/// Finds the packages that these files are the sources of. A chart inside another chart is part of
/// it, and so is a kustomization that another one uses. A library chart is rendered with the charts
/// that use it only. What a rendered package consists of is no file of its own any more.
///
/// Rejected: a kustomization that names remote resources, files that do not exist (kustomize would
/// take the name for an address), files outside of the repository, or a chart that kustomize would
/// fetch; a chart whose dependencies are missing. The sources of a rejected package are files.
PackageSearch find_packages(const std::vector<std::string>& files, RenderKinds kinds);

/// The sources of a package: of a chart its templates, values and CRDs with those of its
/// sub-charts, of an overlay its files; of an archive none. What cannot be read is left out.
std::vector<PackageSource> sources_of(const Package& package);

}  // namespace cnsched::packages
