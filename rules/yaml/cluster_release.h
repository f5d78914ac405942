#pragma once

#include <fmt/format.h>

#include <string>

#include "core/workspace/cluster_scope.h"
#include "rules/rule.h"

namespace cnsched::rules {

/// "; the cluster has 0.13 (.cnsched.yaml:3)". Empty if nothing states the release, or if the
/// finding names it because there are several.
inline std::string cluster_release(Project project, const Findings& findings) {
  const auto& stated = findings.facts().stated_releases;
  const auto found = stated.find(project);
  if (found == stated.end() || findings.scope().chosen_releases().of(project)) return {};
  return fmt::format("; the cluster has {} ({})", to_string(found->second.version),
                     describe_source(found->second, findings.workspace().sources));
}

}  // namespace cnsched::rules
