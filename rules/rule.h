#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <variant>

#include "core/diag/diagnostic.h"
#include "core/k8s/schema/deviations.h"
#include "core/workspace/cluster_scope.h"
#include "core/workspace/workload.h"
#include "rules/findings.h"

namespace cnsched::rules {

/// The objects or pods that a rule is for: those to which everything named applies.
enum class Domain : std::uint16_t {
  all = 0,
  // Of objects, and of pods by their object.
  kserve = 1U << 0U,      ///< KServe reads the object; deprecated-api reports KFServing's group
  no_patches = 1U << 1U,  ///< the object is not a patch; of pods by more signs (is_patch)
  // Of pods only.
  serving = 1U << 2U,    ///< of a model server, or of a part of one
  scheduled = 1U << 3U,  ///< not of a DaemonSet
  /// Of a model server, or with an accelerator: Workload::takes_placement_advice.
  placed = 1U << 4U,
  built = 1U << 5U,     ///< its controller would build it (PodTemplate::is_built)
  complete = 1U << 6U,  ///< every object that its manifest names is known
  whole = 1U << 7U,     ///< not a part of other pods
  /// A part of other pods only while none is built on it: such a pod is checked itself.
  unused_parts = 1U << 8U,
  over_config = 1U << 9U,  ///< of an object of Seldon Core 2 with pod fields over its config
  merged_by_seldon = over_config | whole | built,
  finished = built | complete | whole,
};

inline constexpr Domain kLastDomain = Domain::over_config;

constexpr Domain operator|(Domain a, Domain b) {
  return Domain(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}

/// Whether everything in `part` is in `domain`.
constexpr bool asks_for(Domain domain, Domain part) { return (domain | part) == domain; }

bool is_in(Domain domain, const k8s::Object& object, const ClusterScope& scope);
bool is_in(Domain domain, const Workload& workload);
/// Everything that applies to the pod, for many questions about it.
Domain domain_of(const Workload& workload);

/// Calls `check` with each pod of the linted files in the domain, as the subject of its findings.
template <typename Check>
void each_linted_pod(const ClusterScope& scope, Findings& findings, Domain domain, Check check) {
  for (const Workload& workload : scope.workloads()) {
    if (!scope.is_linted(*workload.object) || !is_in(domain, workload)) continue;
    findings.set_subject(workload);
    check(workload);
  }
}

struct Page;
class PolicyRule;
class Suppressions;

/// What rules have found.
class Reported {
 public:
  Reported(const Workspace& workspace, std::span<const Diagnostic> findings);
  /// Whether an error of the object says why the pod is not as wanted: one of the pod, or of no
  /// certain pod of it.
  bool has_error(const Workload& workload) const;

 private:
  std::map<const k8s::Object*, std::set<std::string_view>> components_;  ///< with errors
};

// The parameter of a check is the rule's scope: one document as text; one object; one object with
// its deviations from the schema of its kind; one effective pod; all manifests for one cluster; one
// pod, after these rules have run; or the suppressions, after all other rules have run. The check
// of a policy is data.
using DocumentCheck = void (*)(const LoadedDocument&, Findings&);
using ObjectCheck = void (*)(const k8s::Object&, Findings&);
using Deviations = std::span<const k8s::schema::Deviation>;
using ShapeCheck = void (*)(const k8s::Object&, Deviations, Findings&);
using WorkloadCheck = void (*)(const Workload&, Findings&);
using ScopeCheck = void (*)(const ClusterScope&, Findings&);
using LastCheck = void (*)(const Workload&, const Reported&, Findings&);
using SuppressionCheck = void (*)(const Suppressions&, Findings&);

/// One kind of mistake. What people read about it is its page (rules/page.h).
struct Rule {
  std::string_view id;
  Severity severity;  ///< the default; a finding may differ where the page says so
  /// Whether other files and facts about the cluster, besides the manifest, decide what is found.
  bool depends_on_workspace = false;
  /// Whether a cluster decides what is found only by the schemas and releases that it has for an
  /// object, or by the pod that it makes. Clusters that are alike in that check it once.
  bool decided_by_subject = false;
  /// The id of another rule, whose settings apply to this one too unless they name it; or empty.
  std::string_view follows{};
  /// The objects or pods that `check` gets, if it gets one at a time.
  Domain of = Domain::all;
  /// The safest fix that a finding of the rule can have; nothing: no finding has a fix.
  std::optional<Safety> fix{};
  std::variant<DocumentCheck, ObjectCheck, ShapeCheck, WorkloadCheck, ScopeCheck, LastCheck,
               SuppressionCheck, const PolicyRule*>
      check;
  /// Of a policy. A built-in rule has a file.
  const Page* page = nullptr;
};

}  // namespace cnsched::rules
