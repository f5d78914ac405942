#include "rules/policy/policy_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "rules/policy/policy_evaluation.h"

namespace cnsched::rules {

namespace {

void set_subject(const PolicySubject& subject, Findings& findings) {
  findings.set_subject(&subject.object(), subject.pod() == nullptr
                                              ? std::string_view()
                                              : std::string_view(subject.pod()->component));
}

void report_reason(const Policy& policy, const Reason& reason, Findings& findings) {
  constexpr std::size_t kMaxNotes = 5;
  const yaml::Node& at = reason.first.node == nullptr ? yaml::missing_node() : *reason.first.node;
  // A whole list or mapping is shown by the line of its key.
  const bool is_large = at.is_mapping() || at.is_sequence();
  auto finding = is_large && at.key() != nullptr
                     ? findings.add_at_key(at, "{}: {}", reason.first.text, policy.summary)
                     : findings.add(at, "{}: {}", reason.first.text, policy.summary);
  finding.severity(policy.severity);
  if (!policy.help.empty()) finding.help("{}", policy.help);
  std::size_t notes = 0;
  for (const Reason::Place& other : reason.others) {
    if (other.node == nullptr || !*other.node || notes == kMaxNotes) continue;
    finding.note(*other.node, "{}", other.text);
    ++notes;
  }
}

void report_unknown(const Policy& policy, const PolicySubject& subject, Findings& findings) {
  constexpr std::size_t kMaxNamed = 3;
  if (!policy.on_unknown || subject.is_patch()) return;
  std::vector<std::string> names = subject.unknowns();
  if (names.size() > kMaxNamed) {
    const std::size_t others = names.size() - kMaxNamed + 1;
    names.resize(kMaxNamed - 1);
    names.push_back(count_of(others, "other fact"));
  }
  const std::string why = !names.empty() ? "unknown: " + join_words(names)
                          : subject.spend(0)
                              ? std::string("a value is not a number or a known name")
                              : std::string("the object is too large for its policies");
  set_subject(subject, findings);
  findings.add(yaml::missing_node(), "not decided ({}): {}", why, policy.summary)
      .severity(*policy.on_unknown)
      .undecided();
}

/// Checks one object or pod.
void check_subject(const Policy& policy, const PolicySubject& subject, Findings& findings) {
  const Evaluation evaluation(subject);
  Truth applies = evaluation.applies(policy.match);
  if (applies != Truth::no && !policy.exclude.is_empty()) {
    applies &= !evaluation.applies(policy.exclude);
  }
  if (applies != Truth::no && policy.when) {
    applies &= evaluation.truth(*policy.when, Quantifier::some);
  }
  if (applies == Truth::no) return;
  bool is_undecided = false;
  bool is_violated = false;
  const auto check = [&](const Condition& condition, Quantifier quantifier, Truth violated) {
    const Truth truth = evaluation.truth(condition, quantifier);
    if (truth == !violated) return;
    if (truth == Truth::unknown || applies == Truth::unknown) {
      is_undecided = true;
      return;
    }
    set_subject(subject, findings);
    const std::vector<Reason> reasons = evaluation.reasons(condition, quantifier, truth);
    for (const Reason& reason : reasons) report_reason(policy, reason, findings);
    // Nothing is left to spend on the reasons.
    (reasons.empty() ? is_undecided : is_violated) = true;
  };
  for (const Condition& each : policy.require) check(each, Quantifier::every, Truth::no);
  for (const Condition& each : policy.forbid) check(each, Quantifier::some, Truth::yes);
  if (is_undecided && !is_violated) report_unknown(policy, subject, findings);
}

}  // namespace

PolicySubjects::PolicySubjects(const ClusterScope& scope, const k8s::Object& object,
                               std::span<const Workload* const> pods)
    : config_(scope.workspace().config_of(object.root->span.file)), has_pods_(!pods.empty()) {
  subjects_.reserve(pods.size() + 1);
  subjects_.emplace_back(scope, object, nullptr);
  for (const Workload* pod : pods) {
    if (!pod->fragment) has_whole_pods_ = true;
    if (pod->is_built()) subjects_.emplace_back(scope, object, pod);
  }
}

const Policy* PolicyRule::find(const facts::ClusterConfig* config) const {
  const auto found =
      std::ranges::find(versions_, config, [](const auto& version) { return version.first; });
  return found == versions_.end() ? nullptr : found->second.get();
}

void PolicyRule::check(const PolicySubjects& subjects, Findings& findings) const {
  const Policy* policy = find(subjects.config());
  if (policy == nullptr) return;
  // Parts of other pods and objects without pods are checked only if the policy names the kind.
  if (!subjects.has_whole_pods() && policy->match.kinds.empty()) return;
  for (const PolicySubject& subject :
       policy->is_of_objects ? subjects.objects() : subjects.pods()) {
    check_subject(*policy, subject, findings);
  }
}

}  // namespace cnsched::rules
