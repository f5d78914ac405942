#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "rules/admission/fragments.h"
#include "rules/rule.h"

namespace cnsched::rules {

/// A kind that policies may check, and where it describes pods.
struct AdmittedKind {
  std::string_view name;
  std::string_view group;
  std::string_view versions;  ///< separated by spaces
  std::string_view resource;
  /// The pod specs in the object `o` in CEL with fragments, by the name of the component: a list of
  /// lists of maps, because CEL cannot flatten lists. Empty: the kind describes no pods.
  std::string_view parts{};
  /// Whether only `--pods` adds it: objects that controllers make, and those of users.
  bool made = false;
};

/// The kinds of the names, separated by spaces; for no names, all that describe pods. Those of
/// `--pods` only if `made`.
std::vector<const AdmittedKind*> kinds_named(std::string_view names, bool made);

/// What the policies may do at most to a request with findings.
enum class AdmissionAction : std::uint8_t {
  audit,  ///< only write into the audit log
  warn,   ///< errors and warnings: warn the client
  deny,   ///< errors: reject; warnings: warn the client
};

/// How policies are made of rules.
struct VapOptions {
  AdmissionAction action = AdmissionAction::audit;
  bool made_objects = false;   ///< --pods: also what KServe and Seldon make
  bool honors_ignore = false;  ///< the annotation cnsched/ignore has an effect
  bool fails_closed = false;   ///< failurePolicy Fail
  std::string params_namespace = "cnsched";
  std::string version;  ///< of cnsched
};

/// A rule to export, which has an AdmissionCheck.
struct ExportedRule {
  const Rule* rule = nullptr;
  std::string_view group;
  std::optional<Severity> configured;  ///< nothing: findings keep their severity
  std::string docs;                    ///< the address of the rule's page
};

/// A ValidatingAdmissionPolicy: the findings of one rule.
struct AdmissionPolicy {
  std::string name;
  /// The severities of its findings, by what the API server does with them. If there are several,
  /// each has a binding, whose parameters select the findings (reports() in cel/functions.cel).
  std::vector<std::vector<Severity>> severities;
  std::vector<const AdmittedKind*> kinds;
  bool has_params = false;  ///< whether it reads a ConfigMap
  /// Evaluated in this order; `findings` has a list of messages for the object, and on UPDATE a
  /// second one for the old object.
  std::vector<CelVariable> variables{};
};

/// The policy of a rule.
AdmissionPolicy admission_policy(const ExportedRule& exported, const VapOptions& options);

/// Expressions of each policy.
inline constexpr std::string_view kNoNewFindings = "variables.added == ''";
inline constexpr std::string_view kFindingsMessage = "variables.added";

/// What the API server does with findings of a severity, in the words of validationActions.
std::vector<std::string_view> actions_on(Severity severity, AdmissionAction most, bool may_deny);
/// Whether the policy checks objects of the kind.
bool has_kind(const AdmissionPolicy& policy, std::string_view name);
/// Whether objects that may be denied are among those that the policy checks. A Node that is denied
/// cannot join the cluster, and a Deployment whose Pods are denied cannot replace them any more.
bool may_deny(const AdmissionPolicy& policy);

}  // namespace cnsched::rules
