#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "core/diag/diagnostic.h"
#include "core/k8s/schema/deviations.h"
#include "core/workspace/cluster_scope.h"
#include "rules/domain.h"
#include "rules/report.h"

namespace cnsched::rules {

struct Page;
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

/// One kind of mistake. What people read about it is its page (rules/page.h).
struct Rule {
  std::string_view id;
  Severity severity;  ///< the default; a finding may differ where the page says so
  /// Whether other files and facts about the cluster, besides the manifest, decide what is found.
  bool depends_on_workspace = false;
  /// The id of another rule, whose settings apply to this one too unless they name it; or empty.
  std::string_view follows{};
  /// The objects or pods that `check` gets, if it gets one at a time.
  Domain of = Domain::all;
  /// The safest fix that a finding of the rule can have; nothing: no finding has a fix.
  std::optional<Safety> fix{};
  std::variant<DocumentCheck, ObjectCheck, ShapeCheck, WorkloadCheck, ScopeCheck, SuppressionCheck,
               const PolicyRule*>
      check;
  /// Of a policy. A built-in rule has a file.
  const Page* page = nullptr;
};

}  // namespace cnsched::rules
