#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "core/diag/diagnostic.h"
#include "core/k8s/schema/deviations.h"
#include "core/workloads/workspace.h"
#include "rules/engine/report.h"

namespace cnsched::rules {

class Suppressions;

// What a rule looks at: one document as text, one object, one object and where it is not what its
// kind's table says, one pod with all that is known of it, everything at once, or the suppressions,
// once all other rules have run.
using DocumentCheck = void (*)(const LoadedDocument&, Report&);
using ObjectCheck = void (*)(const k8s::Object&, Report&);
using Deviations = std::span<const k8s::schema::Deviation>;
using ShapeCheck = void (*)(const k8s::Object&, Deviations, Report&);
using WorkloadCheck = void (*)(const Workload&, Report&);
using WorkspaceCheck = void (*)(const Workspace&, Report&);
using SuppressionCheck = void (*)(const Suppressions&, Report&);

/// One kind of mistake. Every text that a user reads about it comes from here.
struct Rule {
  std::string_view id;
  Severity severity;  ///< of most findings; a finding may differ where the page says so
  /// Whether other files of the run and facts about the cluster decide as well as the manifest.
  bool depends_on_run = false;
  std::string_view summary;  ///< one line, lower case
  std::string_view why;      ///< what happens in the cluster
  std::string_view bad;   ///< an example at the scope of `check`: fields of a pod, or whole objects
  std::string_view good;  ///< the same, mended
  std::string_view source;  ///< where this can be read up
  std::variant<DocumentCheck, ObjectCheck, ShapeCheck, WorkloadCheck, WorkspaceCheck,
               SuppressionCheck>
      check;
  /// Whether --fix (safe) or only --unsafe-fixes mends it where it can be mended; nothing: neither.
  std::optional<Safety> fix{};
};

}  // namespace cnsched::rules
