#include "rules/admission/admission_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/yaml/parse.h"
#include "rules/admission/admission_check.h"

namespace cnsched::embedded {
std::span<const EmbeddedFile> admitted_kinds();
}

namespace cnsched::rules {

namespace {

/// The rows of kinds.yaml.
const std::vector<AdmittedKind>& admitted_kinds() {
  static const yaml::Embedded kText(embedded::admitted_kinds().front().text);
  static const std::vector<AdmittedKind> kKinds = [] {
    std::vector<AdmittedKind> rows;
    for (const yaml::Node* row : kText.root().items()) {
      const auto text = [&](std::string_view key) { return row->under(key).text(); };
      rows.push_back({.name = text("kind"),
                      .group = text("group"),
                      .versions = text("versions"),
                      .resource = text("resource"),
                      .parts = text("parts"),
                      .made = text("made") == "true"});
    }
    return rows;
  }();
  return kKinds;
}

/// The pods of each object: the parts of it that describe pods, in lists of lists of lists.
std::string pods_expression(const std::vector<const AdmittedKind*>& kinds,
                            const std::string& fields) {
  std::vector<std::string_view> forms;
  std::map<std::string_view, std::vector<std::string_view>> kinds_of_form;
  for (const AdmittedKind* kind : kinds) {
    if (!kinds_of_form.contains(kind->parts)) forms.push_back(kind->parts);
    kinds_of_form[kind->parts].push_back(kind->name);
  }
  std::string text = "variables.objects.map(o, (";
  for (const std::string_view form : forms) {
    // The last one needs no condition: the policy matches no other kinds.
    if (form != forms.back()) {
      const std::vector<std::string_view>& names = kinds_of_form[form];
      text += names.size() == 1
                  ? fmt::format("request.kind.kind == {} ? ", cel_string(names.front()))
                  : fmt::format("request.kind.kind in {} ? ", cel_strings(names));
    }
    text += fmt::format("{}{}", form, form == forms.back() ? ")" : " :\n");
  }
  text += fmt::format("\n.map(l, l.map(m, m.map(name, m[name] != null, {}))))", fields);
  return expand_fragments(text);
}

/// The findings of each object, in the form of AdmissionPolicy::variables. CEL cannot flatten a
/// list, so the messages are joined and split.
std::string findings_expression(AdmissionCheck::Of of, const std::string& check) {
  if (of == AdmissionCheck::Of::object) {
    return fmt::format("variables.objects.map(object, ({}).join('\\n').split('\\n'))", check);
  }
  return fmt::format(
      "variables.pods.map(a, a.map(b, b.map(c, c.map(pod, ({})\n"
      ".join('\\n').split('\\n').filter(f, f != '')"
      ".map(f, (pod.name == '' ? '' : pod.name + ': ') + f).join('\\n'))"
      ".join('\\n')).join('\\n')).join('\\n').split('\\n'))",
      check);
}

/// The new findings as the message; messageExpression allows no more than 5 KiB.
constexpr std::string_view kAdded =
    "[variables.findings[0].filter(f, f != '' && "
    "!(variables.findings.size() > 1 && f in variables.findings[1])).join('; ')]"
    ".map(m, m.size() > 1000 ? m.substring(0, 1000) + '…' : m)[0]";

/// The expression without the indentation of its lines, which have no literals of several lines.
std::string unindented(std::string_view text) {
  std::string result;
  for (const std::string_view line : split(text, '\n')) {
    result += fmt::format("{}{}", result.empty() ? "" : "\n", trim(line));
  }
  return result;
}

std::vector<CelVariable> variables_of(AdmissionCheck::Of of, const std::string& expression,
                                      const std::vector<const AdmittedKind*>& kinds) {
  const std::string expanded = expand_fragments(expression);
  const std::string findings = findings_expression(of, expanded);
  std::vector<CelVariable> own;
  if (of == AdmissionCheck::Of::pod) {
    own.push_back({"pods", pods_expression(kinds, pod_fields_used_in(findings))});
  }
  own.push_back({"findings", findings});
  std::vector<std::string> texts;
  for (const CelVariable& variable : own) texts.push_back(variable.expression);
  std::vector<CelVariable> all = {
      {"objects", "oldObject == null ? [dyn(object)] : [dyn(object), dyn(oldObject)]"}};
  for (CelVariable& variable : variables_used_in(texts)) all.push_back(std::move(variable));
  for (CelVariable& variable : own) all.push_back(std::move(variable));
  all.push_back({"added", std::string(kAdded)});
  for (CelVariable& variable : all) variable.expression = unindented(variable.expression);
  return all;
}

/// The findings by severity, those of errors first.
std::vector<std::pair<Severity, std::string_view>> findings_of(const AdmissionCheck& check) {
  std::vector<std::pair<Severity, std::string_view>> findings = {
      {Severity::error, check.errors},
      {Severity::warning, check.warnings},
      {Severity::info, check.infos}};
  std::erase_if(findings, [](const auto& each) { return each.second.empty(); });
  return findings;
}

/// The severities by what is done with findings of each.
std::vector<std::vector<Severity>> by_actions(const AdmissionPolicy& policy,
                                              const std::vector<Severity>& severities,
                                              AdmissionAction most) {
  std::vector<std::vector<Severity>> groups;
  const auto actions = [&](Severity severity) {
    return actions_on(severity, most, may_deny(policy));
  };
  for (const Severity severity : severities) {
    if (groups.empty() || actions(groups.back().front()) != actions(severity))
      groups.emplace_back();
    groups.back().push_back(severity);
  }
  return groups;
}

/// The findings of the severities as one list. `is_split`: only those that the parameters select.
std::string joined(const std::vector<std::pair<Severity, std::string_view>>& findings,
                   bool is_split) {
  std::string text;
  for (const auto& [severity, expression] : findings) {
    const std::string own = fmt::format("({})", trim(expression));
    text += text.empty() ? "" : " +\n";
    text += is_split ? fmt::format("(reports('{}') ? {} : [])", name_of(severity), own) : own;
  }
  return text;
}

}  // namespace

std::vector<std::string_view> actions_on(Severity severity, AdmissionAction most, bool may_deny) {
  if (most == AdmissionAction::audit || severity == Severity::info) return {"Audit"};
  const bool denies = most == AdmissionAction::deny && severity == Severity::error && may_deny;
  return {denies ? "Deny" : "Warn", "Audit"};
}

bool has_kind(const AdmissionPolicy& policy, std::string_view name) {
  return std::ranges::any_of(policy.kinds,
                             [&](const AdmittedKind* kind) { return kind->name == name; });
}

bool may_deny(const AdmissionPolicy& policy) {
  const bool has_pods_only = policy.kinds.size() == 1 && has_kind(policy, "Pod");
  return !has_kind(policy, "Node") && !has_pods_only;
}

AdmissionPolicy admission_policy(const ExportedRule& exported, const VapOptions& options) {
  const Rule& rule = *exported.rule;
  AdmissionPolicy policy;
  const AdmissionCheck& check = *admission_of(rule);
  policy.name = fmt::format("cnsched-{}", rule.id);
  policy.kinds = kinds_named(check.kinds, options.made_objects);
  const auto findings = findings_of(check);
  std::vector<Severity> severities;
  for (const auto& [severity, expression] : findings) severities.push_back(severity);
  if (exported.configured) severities = {*exported.configured};
  policy.severities = by_actions(policy, severities, options.action);
  const bool is_split = policy.severities.size() > 1;
  policy.variables = variables_of(check.of, joined(findings, is_split), policy.kinds);
  policy.has_params = std::ranges::any_of(policy.variables, [](const CelVariable& variable) {
    return reads_parameters(variable.expression);
  });
  return policy;
}

std::vector<const AdmittedKind*> kinds_named(std::string_view names, bool made) {
  const std::vector<std::string_view> words = split(names, ' ');
  std::vector<const AdmittedKind*> kinds;
  for (const AdmittedKind& kind : admitted_kinds()) {
    const bool is_named = names.empty() ? !kind.parts.empty() : is_one_of(kind.name, words);
    if (is_named && (made || !kind.made)) kinds.push_back(&kind);
  }
  return kinds;
}

}  // namespace cnsched::rules
