#include "rules/admission/policy_cel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "rules/admission/glob_regex.h"
#include "rules/admission/policy_condition_cel.h"
#include "rules/policy/policy_evaluation.h"

namespace cnsched::rules {

namespace {

/// Translates what a policy is for.
class MatchWriter {
 public:
  explicit MatchWriter(FieldWriter& fields) : fields_(fields) {}

  /// Of what applies to one pod or object; the keys of the object are in `of_object`.
  std::string applies(const Match& match, bool wanted);
  std::string of_object(const Match& match, const std::string& object);

 private:
  std::string matches(const std::string& text, const Match::Patterns& patterns,
                      std::string_view key);
  std::string has_labels(const std::string& object, std::string_view key,
                         const std::vector<std::pair<std::string, Match::Patterns>>& wanted);

  FieldWriter& fields_;
};

std::string MatchWriter::matches(const std::string& text, const Match::Patterns& patterns,
                                 std::string_view key) {
  std::vector<std::string> exact;
  std::vector<std::string> regexes;
  for (const NamePattern& pattern : patterns) {
    const std::string& written = pattern.text();
    if (written == "*") return std::string(kCelTrue);
    if (!NamePattern::is_special(written)) {
      exact.push_back(written);
      continue;
    }
    const auto regex = regex_of_glob(written);
    if (!regex) {
      return fields_.fail(key,
                          fmt::format("the pattern '{}' has no translation", printable(written)));
    }
    regexes.push_back(*regex);
  }
  std::string found(kCelFalse);
  if (!exact.empty()) found = fmt::format("{} in {}", text, cel_strings(exact));
  if (regexes.empty()) return found;
  const std::string regex = fmt::format("^(?:{})$", fmt::join(regexes, "|"));
  return cel_or(found, fmt::format("{}.matches({})", text, cel_string(regex)));
}

std::string MatchWriter::has_labels(
    const std::string& object, std::string_view key,
    const std::vector<std::pair<std::string, Match::Patterns>>& wanted) {
  std::string all(kCelTrue);
  for (const auto& [name, patterns] : wanted) {
    const std::string value = fmt::format("{}.metadata.?{}[?{}]", object, key, cel_string(name));
    std::string each = fmt::format("{}.hasValue()", value);
    if (!patterns.empty()) {
      const std::string text = fmt::format("{}.orValue('')", value);
      each = cel_and(
          each, matches(fmt::format("string({})", text), patterns, fmt::format("match.{}", key)));
    }
    all = cel_and(all, each);
  }
  return all;
}

/// Without the kinds.
std::string MatchWriter::of_object(const Match& match, const std::string& object) {
  std::string all(kCelTrue);
  const auto name = [&](std::string_view key, const Match::Patterns& patterns) {
    if (patterns.empty()) return;
    const std::string text = fmt::format("{}.metadata.?{}.orValue('')", object, key);
    all = cel_and(all, matches(text, patterns, fmt::format("match.{}s", key)));
  };
  if (std::ranges::any_of(match.namespaces,
                          [](const NamePattern& each) { return each.text().empty(); })) {
    return fields_.fail("match.namespaces", "the API server knows the namespace of every object");
  }
  if (!match.clusters.empty())
    return fields_.fail("match.clusters", "the API server has one cluster");
  if (match.files) return fields_.fail("match.files", "the API server knows no files");
  name("namespace", match.namespaces);
  name("name", match.names);
  all = cel_and(all, has_labels(object, "labels", match.labels));
  return cel_and(all, has_labels(object, "annotations", match.annotations));
}

std::string MatchWriter::applies(const Match& match, bool wanted) {
  std::string all = of_object(match, fields_.object());
  if (!match.components.empty()) {
    all = cel_and(all, fields_.has_pods()
                           ? matches("string(pod.name)", match.components, "match.components")
                           : std::string(kCelFalse));
  }
  if (!wanted) all = cel_not(all);
  if (!match.accelerators) return all;
  const std::string requests = fields_.has_pods()
                                   ? "any_request(pod.allContainers, n, is_accelerator(n))"
                                   : std::string(kCelFalse);
  const std::string open = fields_.has_pods() ? "pod.open" : std::string(kCelFalse);
  const std::string accelerators =
      *match.accelerators == wanted ? requests : cel_and(cel_not(requests), cel_not(open));
  return wanted ? cel_and(all, accelerators) : cel_or(all, accelerators);
}

// Kinds.

bool names_kind(const Match::Patterns& patterns, const AdmittedKind& kind) {
  const std::string qualified = fmt::format("{}/{}", kind.group, kind.name);
  return std::ranges::any_of(patterns, [&](const NamePattern& pattern) {
    return pattern.matches(pattern.has_slash() ? std::string_view(qualified) : kind.name);
  });
}

bool is_exact(const NamePattern& pattern) { return !NamePattern::is_special(pattern.text()); }

/// Whether a pattern without special characters names the kind.
bool is_named_exactly(const Match::Patterns& patterns, const AdmittedKind& kind) {
  return std::ranges::any_of(patterns, [&](const NamePattern& pattern) {
    return is_exact(pattern) && names_kind({pattern}, kind);
  });
}

/// The kinds that the policy is for; in `unlabelled` those of --pods that it names.
std::vector<const AdmittedKind*> kinds_of(const Policy& policy, bool made,
                                          std::vector<const AdmittedKind*>& unlabelled) {
  const Match::Patterns& named = policy.match.kinds;
  const Match& exclude = policy.exclude;
  const bool excludes_kinds = exclude.components.empty() && exclude.names.empty() &&
                              exclude.namespaces.empty() && exclude.labels.empty() &&
                              exclude.annotations.empty() && !exclude.accelerators &&
                              !exclude.kinds.empty();
  std::vector<const AdmittedKind*> kinds;
  for (const AdmittedKind& kind : admitted_kinds()) {
    if (excludes_kinds && names_kind(exclude.kinds, kind)) continue;
    if (is_named_exactly(named, kind)) {
      kinds.push_back(&kind);
      if (kind.made) unlabelled.push_back(&kind);
      continue;
    }
    if (kind.only_if_named || (kind.made && !made)) continue;
    const bool is_default = named.empty() && !kind.parts.empty() && !kind.is_fragment;
    if (is_default || names_kind(named, kind)) kinds.push_back(&kind);
  }
  return kinds;
}

/// The exclusion as an expression that holds if it certainly does not apply. `object`: of the
/// object, in a matchCondition.
std::string not_excluded(const Policy& policy, MatchWriter& writer, const std::string& object) {
  const Match& exclude = policy.exclude;
  std::string kinds(kCelTrue);
  if (!exclude.kinds.empty()) {
    std::vector<std::string> names;
    for (const AdmittedKind& kind : admitted_kinds()) {
      if (names_kind(exclude.kinds, kind)) names.emplace_back(kind.name);
    }
    kinds = names.empty() ? kCelFalse : fmt::format("request.kind.kind in {}", cel_strings(names));
  }
  if (!object.empty()) return cel_not(cel_and(kinds, writer.of_object(exclude, object)));
  return cel_or(cel_not(kinds), writer.applies(exclude, false));
}

/// What the conditions find, each a message or ''.
std::string findings_of(const Policy& policy, ConditionWriter& writer) {
  std::string text = in_one_line(policy.summary);
  if (!policy.help.empty()) text += "; " + in_one_line(policy.help);
  const std::string message = cel_string(text);
  std::vector<std::string> found;
  const auto add = [&](const Condition& condition, Quantifier quantifier, bool violated) {
    const std::string violates = writer.certain(condition, quantifier, violated);
    const std::string subject = writer.subject(condition);
    found.push_back(
        fmt::format("{} ? {}{} : ''", violates, subject == "''" ? "" : subject + " + ", message));
  };
  for (const Condition& each : policy.require) add(each, Quantifier::every, false);
  for (const Condition& each : policy.forbid) add(each, Quantifier::some, true);
  return fmt::format("[{}]", fmt::join(found, ",\n  "));
}

Result<PolicyCheck> translated(const Policy& policy, PolicyCheck check) {
  FieldWriter fields(check.of);
  MatchWriter matches(fields);
  ConditionWriter conditions(fields);
  const std::string matched = matches.of_object(policy.match, "object");
  if (matched != kCelTrue) check.conditions.push_back({"policy-match", matched});
  std::string applies(kCelTrue);
  if (policy.match.accelerators || !policy.match.components.empty()) {
    applies = matches.applies(
        {.components = policy.match.components, .accelerators = policy.match.accelerators}, true);
  }
  const bool excludes_pods = policy.exclude.accelerators || !policy.exclude.components.empty();
  if (excludes_pods) {
    applies = cel_and(applies, not_excluded(policy, matches, {}));
  } else if (!policy.exclude.is_empty()) {
    check.conditions.push_back({"policy-exclude", not_excluded(policy, matches, "object")});
  }
  if (fields.has_pods()) {
    // KServe makes no pods of a stopped service.
    check.conditions.push_back(
        {"not-stopped",
         "object.metadata.?annotations[?'serving.kserve.io/stop'].orValue('').lowerAscii() != "
         "'true'"});
  }
  if (policy.when) {
    applies = cel_and(applies, conditions.certain(*policy.when, Quantifier::some, true));
  }
  check.findings = findings_of(policy, conditions);
  if (applies != kCelTrue) check.findings = fmt::format("{} ? {} : []", applies, check.findings);
  for (CelVariable& condition : check.conditions) {
    condition.expression = expand_fragments(condition.expression);
  }
  if (!fields.mistake().empty()) return Error{fields.mistake()};
  return check;
}

}  // namespace

Result<PolicyCheck> policy_check(const Policy& policy, bool made) {
  constexpr std::size_t kMaxExpression = 40'000;
  PolicyCheck check;
  for (const NamePattern& pattern : policy.match.kinds) {
    const auto names = [&](const AdmittedKind& kind) { return names_kind({pattern}, kind); };
    if (is_exact(pattern) && std::ranges::none_of(admitted_kinds(), names)) {
      return Error{fmt::format("'match.kinds': '{}' is none of the kinds that are exported",
                               printable(pattern.text()))};
    }
  }
  check.kinds = kinds_of(policy, made, check.unlabelled);
  const auto has_pods = [](const AdmittedKind* kind) { return !kind->parts.empty(); };
  const bool some_have_pods = std::ranges::any_of(check.kinds, has_pods);
  check.of = policy.is_of_objects || !some_have_pods ? AdmissionCheck::Of::object
                                                     : AdmissionCheck::Of::pod;
  if (check.of == AdmissionCheck::Of::pod) {
    // Without pods, these fields are absent, which few policies mean.
    const bool names_others = std::ranges::any_of(check.kinds, [&](const AdmittedKind* kind) {
      return !has_pods(kind) && is_named_exactly(policy.match.kinds, *kind);
    });
    if (names_others) {
      return Error{"'match.kinds': kinds with and without pods need policies of their own"};
    }
    std::erase_if(check.kinds, [&](const AdmittedKind* kind) { return !has_pods(kind); });
  }
  const auto is_seldon = [](const AdmittedKind* kind) { return kind->name == "SeldonDeployment"; };
  if (!policy.match.components.empty() || !policy.exclude.components.empty()) {
    std::erase_if(check.kinds, is_seldon);  // its components have names that are not in the object
  }
  if (check.kinds.empty()) {
    return Error{"'match.kinds': there is no such kind among those that are exported"};
  }
  Result<PolicyCheck> result = translated(policy, std::move(check));
  if (result && expand_fragments(result->findings).size() > kMaxExpression) {
    return Error{"its expression is too large"};
  }
  return result;
}

}  // namespace cnsched::rules
