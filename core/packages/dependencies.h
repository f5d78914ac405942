#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/source/read_file.h"

namespace cnsched::packages {

/// The first dependency in the Chart.yaml of a directory that is not in its `charts/`, if any: Helm
/// renders no such chart, and `helm template` fetches nothing. Source: helm 3.19
/// pkg/action/action.go, CheckDependencies.
std::optional<Unreadable> missing_dependency(const std::string& chart);

/// A chart that another one names with `repository: file://…`, and that is there.
struct LocalDependency {
  std::string name;
  std::string directory;
};

std::vector<LocalDependency> local_dependencies(const std::string& chart);

}  // namespace cnsched::packages
