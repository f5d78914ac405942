#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/diag/diagnostic.h"
#include "core/facts/cluster_facts.h"
#include "rules/rule.h"

namespace cnsched::rules {

// Pieces of CEL that expressions of rules share. Functions are expanded in place, because CEL has
// no functions of one's own; variables become variables of the policy, which are evaluated once and
// only if they are used.

/// `text` as a literal of CEL.
std::string cel_string(std::string_view text);
/// "['a', 'b']"
template <typename Texts>
std::string cel_strings(const Texts& texts) {
  std::string list;
  for (const auto& text : texts) list += (list.empty() ? "" : ", ") + cel_string(text);
  return "[" + list + "]";
}

/// A variable of a policy.
struct CelVariable {
  std::string name;
  std::string expression;
};

/// `text` with every call of a fragment replaced by its text.
std::string expand_fragments(std::string_view text);

/// The shared variables that the expanded expressions use.
std::vector<CelVariable> variables_used_in(const std::vector<std::string>& expressions);

/// The fields of `pod` that an expanded expression reads, as a map in CEL: of `m[name]`, a pod spec
/// in the object `o`.
std::string pod_fields_used_in(std::string_view expression);

/// The name of the fact that has the tolerations of a vendor's device plugin.
std::string plugin_fact_name(accelerators::Vendor vendor);

/// Whether the expanded expression reads facts about the cluster.
bool reads_parameters(std::string_view expression);

/// A row of kinds.yaml.
struct AdmittedKind {
  std::string_view name, group, versions, resource, parts;
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

/// The facts that policies read, as data of a ConfigMap. A fact that is not known has no key.
std::map<std::string, std::string> fact_parameters(const facts::ClusterFacts& facts);

/// The ConfigMaps of facts, and each policy with its binding, as a stream of YAML.
std::string vap_documents(const std::vector<ExportedRule>& rules, const facts::ClusterFacts& facts,
                          const VapOptions& options);

}  // namespace cnsched::rules
