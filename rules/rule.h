#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "core/diag/diagnostic.h"
#include "core/k8s/schema/deviations.h"
#include "core/workloads/cluster_scope.h"
#include "rules/admission/admission_check.h"
#include "rules/engine/report.h"

namespace cnsched::rules {

class PolicyRule;
class Suppressions;

// The parameter of a check is the rule's scope: one document as text; one object; one object with
// its deviations from the schema of its kind; one effective pod; all manifests for one cluster; or
// the suppressions, after all other rules have run. The check of a policy is data.
using DocumentCheck = void (*)(const LoadedDocument&, Report&);
using ObjectCheck = void (*)(const k8s::Object&, Report&);
using Deviations = std::span<const k8s::schema::Deviation>;
using ShapeCheck = void (*)(const k8s::Object&, Deviations, Report&);
using WorkloadCheck = void (*)(const Workload&, Report&);
using ScopeCheck = void (*)(const ClusterScope&, Report&);
using SuppressionCheck = void (*)(const Suppressions&, Report&);

/// One kind of mistake. `cnsched explain`, the manual page, README's table and SARIF print these
/// texts. No paragraph of them has more than four sentences.
struct Rule {
  std::string_view id;
  Severity severity;  ///< the default; a finding may differ where `details` says so
  /// Whether other files and facts about the cluster, besides the manifest, decide what is found.
  bool depends_on_workspace = false;
  /// The id of another rule, whose settings apply to this one too unless they name it; or empty.
  std::string_view follows{};
  std::string_view summary;    ///< what it reports, in one line, lower case
  std::string_view details{};  ///< more about what it reports: forms, severities, syntax; optional
  std::string_view why;        ///< what happens to the user's pods, then the cause
  std::string_view limits{};   ///< what it does not report
  std::string_view bad;        ///< an example at the scope of `check`: pod fields or whole objects
  std::string_view good;       ///< the same example, corrected
  std::string_view source;     ///< a page that documents the behaviour
  std::variant<DocumentCheck, ObjectCheck, ShapeCheck, WorkloadCheck, ScopeCheck, SuppressionCheck,
               const PolicyRule*>
      check;
  /// The safest fix that a finding of the rule can have; nothing: no finding has a fix.
  std::optional<Safety> fix{};
  /// The check for the API server, if the admitted object and facts about the cluster decide alone;
  /// otherwise `not_exported` says in a clause why there is none.
  std::optional<AdmissionCheck> admission{};
  std::string_view not_exported{};
};

}  // namespace cnsched::rules
