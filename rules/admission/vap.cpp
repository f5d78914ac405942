#include "rules/admission/vap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/arena.h"
#include "core/base/text.h"
#include "core/kserve/knative_flags.h"
#include "core/yaml/tree.h"
#include "core/yaml/write.h"
#include "rules/engine/ignore.h"

namespace cnsched::rules {

namespace {

using yaml::Node;

constexpr std::string_view kApiVersion = "admissionregistration.k8s.io/v1";
constexpr std::string_view kFactsName = "cnsched-facts";

// Expressions.

/// The pods of each object: the parts of it that describe pods, in lists of lists of lists.
std::string pods_expression(const std::vector<const AdmittedKind*>& kinds,
                            const std::string& fields) {
  std::vector<std::string_view> forms;
  std::map<std::string_view, std::vector<std::string>> kinds_of_form;
  for (const AdmittedKind* kind : kinds) {
    if (!kinds_of_form.contains(kind->parts)) forms.push_back(kind->parts);
    kinds_of_form[kind->parts].push_back(cel_string(kind->name));
  }
  std::string text = "variables.objects.map(o, (";
  for (const std::string_view form : forms) {
    // The last one needs no condition: the policy matches no other kinds.
    if (form != forms.back()) {
      const std::vector<std::string>& names = kinds_of_form[form];
      text += names.size() == 1
                  ? fmt::format("request.kind.kind == {} ? ", names.front())
                  : fmt::format("request.kind.kind in [{}] ? ", fmt::join(names, ", "));
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

void set_expression(AdmissionPolicy& policy, AdmissionCheck::Of of, const std::string& text) {
  policy.variables = variables_of(of, text, policy.kinds);
  policy.has_params = std::ranges::any_of(policy.variables, [](const CelVariable& variable) {
    return reads_parameters(variable.expression);
  });
}

/// What the API server does with findings of a severity, in the words of validationActions.
/// `kinds`: a Node that is denied is a node that cannot join, and a Deployment whose Pods are
/// denied cannot replace them any more.
std::vector<std::string_view> actions_on(Severity severity, AdmissionAction most, bool may_deny) {
  if (most == AdmissionAction::audit || severity == Severity::info) return {"Audit"};
  const bool denies = most == AdmissionAction::deny && severity == Severity::error && may_deny;
  return {denies ? "Deny" : "Warn", "Audit"};
}

bool has_kind(const AdmissionPolicy& policy, std::string_view name) {
  return std::ranges::any_of(policy.kinds,
                             [&](const AdmittedKind* kind) { return kind->name == name; });
}

bool has_others_than(const AdmissionPolicy& policy, std::string_view name) {
  return std::ranges::any_of(policy.kinds,
                             [&](const AdmittedKind* kind) { return kind->name != name; });
}

/// Whether objects that may be denied are among those that the policy checks.
bool may_deny(const AdmissionPolicy& policy) {
  return !has_kind(policy, "Node") && has_others_than(policy, "Pod");
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

// Objects.

/// Builds the objects, whose nodes live in one arena.
class Objects {
 public:
  using Fields = std::vector<std::pair<std::string_view, const Node*>>;

  const Node& text(std::string_view value) {
    return yaml::string_like(arena_, yaml::nowhere(), value);
  }
  const Node& map(const Fields& fields) {
    std::vector<yaml::Entry> entries;
    for (const auto& [key, value] : fields) {
      if (value != nullptr) entries.push_back(yaml::entry_of(arena_, key, *value));
    }
    return yaml::mapping_like(arena_, yaml::nowhere(), entries);
  }
  const Node& list(const std::vector<const Node*>& items) {
    return yaml::sequence_like(arena_, yaml::nowhere(), items);
  }
  template <typename Texts>
  const Node& texts(const Texts& values) {
    std::vector<const Node*> items;
    for (const auto& value : values) items.push_back(&text(value));
    return list(items);
  }

 private:
  Arena arena_;
};

class VapWriter {
 public:
  explicit VapWriter(const VapOptions& options) : options_(options) {}

  /// `severities`: what the bindings with these parameters report; empty: all.
  void add_facts(const std::map<std::string, std::string>& facts,
                 const std::vector<Severity>& severities) {
    Objects::Fields data;
    for (const auto& [key, value] : facts) data.emplace_back(key, &objects_.text(value));
    const std::string names = names_of(severities, " ");
    if (!names.empty()) data.emplace_back("severities", &objects_.text(names));
    add(objects_.map(
        {{"apiVersion", &objects_.text("v1")},
         {"kind", &objects_.text("ConfigMap")},
         {"metadata", &objects_.map({{"name", &objects_.text(name_of_facts(severities))},
                                     {"namespace", &objects_.text(options_.params_namespace)},
                                     {"labels", &labels({})},
                                     {"annotations", &annotations({})}})},
         {"data", data.empty() ? nullptr : &objects_.map(data)}}));
  }

  void add_policy(const AdmissionPolicy& policy, const ExportedRule& exported) {
    add(objects_.map({{"apiVersion", &objects_.text(kApiVersion)},
                      {"kind", &objects_.text("ValidatingAdmissionPolicy")},
                      {"metadata", &objects_.map({{"name", &objects_.text(policy.name)},
                                                  {"labels", &labels(exported.rule->id)},
                                                  {"annotations", &annotations(exported.docs)}})},
                      {"spec", &policy_spec(policy, exported)}}));
    const bool is_split = policy.severities.size() > 1;
    for (const std::vector<Severity>& severities : policy.severities) {
      const bool is_first = &severities == &policy.severities.front();
      const std::string name =
          is_first ? policy.name : fmt::format("{}-{}", policy.name, name_of(severities.front()));
      const Node* params = nullptr;
      if (policy.has_params) {
        const std::string facts = name_of_facts(is_split ? severities : std::vector<Severity>());
        params = &objects_.map({{"name", &objects_.text(facts)},
                                {"namespace", &objects_.text(options_.params_namespace)},
                                {"parameterNotFoundAction", &objects_.text("Allow")}});
      }
      const auto actions = actions_on(severities.front(), options_.action, may_deny(policy));
      // Pods are not denied and need a binding of their own.
      const bool has_other_pods = actions.front() == "Deny" && has_kind(policy, "Pod");
      add_binding(name, exported, policy, params, has_other_pods ? &pods_only(false) : nullptr,
                  actions);
      if (!has_other_pods) continue;
      add_binding(name + "-pods", exported, policy, params, &pods_only(true),
                  actions_on(severities.front(), options_.action, false));
    }
  }

  std::string text() && { return std::move(text_); }

 private:
  static std::string names_of(const std::vector<Severity>& severities, std::string_view between) {
    std::vector<std::string_view> names;
    for (const Severity severity : severities) names.push_back(name_of(severity));
    return fmt::format("{}", fmt::join(names, between));
  }

  static std::string name_of_facts(const std::vector<Severity>& severities) {
    return severities.empty() ? std::string(kFactsName)
                              : fmt::format("{}-{}", kFactsName, names_of(severities, "-"));
  }

  void add_binding(const std::string& name, const ExportedRule& exported,
                   const AdmissionPolicy& policy, const Node* params, const Node* resources,
                   const std::vector<std::string_view>& actions) {
    add(objects_.map({{"apiVersion", &objects_.text(kApiVersion)},
                      {"kind", &objects_.text("ValidatingAdmissionPolicyBinding")},
                      {"metadata", &objects_.map({{"name", &objects_.text(name)},
                                                  {"labels", &labels(exported.rule->id)}})},
                      {"spec", &objects_.map({{"policyName", &objects_.text(policy.name)},
                                              {"paramRef", params},
                                              {"matchResources", resources},
                                              {"validationActions", &objects_.texts(actions)}})}}));
  }

  void add(const Node& object) {
    if (!text_.empty()) text_ += "---\n";
    text_ += yaml::to_yaml(object);
  }

  const Node& labels(std::string_view rule) {
    return objects_.map({{"app.kubernetes.io/managed-by", &objects_.text("cnsched")},
                         {"cnsched/rule", rule.empty() ? nullptr : &objects_.text(rule)}});
  }

  const Node& annotations(std::string_view docs) {
    return objects_.map({{"cnsched/docs", docs.empty() ? nullptr : &objects_.text(docs)},
                         {"cnsched/version", &objects_.text(options_.version)}});
  }

  const Node& policy_spec(const AdmissionPolicy& policy, const ExportedRule& exported) {
    const Node* params = nullptr;
    if (policy.has_params) {
      params = &objects_.map(
          {{"apiVersion", &objects_.text("v1")}, {"kind", &objects_.text("ConfigMap")}});
    }
    std::vector<const Node*> variables;
    for (const CelVariable& variable : policy.variables) {
      variables.push_back(&expression(variable.name, variable.expression));
    }
    const std::string message = fmt::format("{}: {}", exported.rule->id, exported.rule->summary);
    const Node& validation =
        objects_.map({{"expression", &objects_.text(kNoNewFindings)},
                      {"message", &objects_.text(message)},
                      {"messageExpression", &objects_.text(kFindingsMessage)}});
    return objects_.map(
        {{"failurePolicy", &objects_.text(options_.fails_closed ? "Fail" : "Ignore")},
         {"paramKind", params},
         {"matchConstraints", &constraints(policy)},
         {"matchConditions", &conditions(policy, exported)},
         {"variables", &objects_.list(variables)},
         {"validations", &objects_.list({&validation})}});
  }

  const Node& expression(std::string_view name, std::string_view text) {
    return objects_.map({{"name", &objects_.text(name)}, {"expression", &objects_.text(text)}});
  }

  const Node& constraints(const AdmissionPolicy& policy) {
    std::vector<const Node*> rules;
    for (const bool is_core : {false, true}) {
      if (const Node* rule = resource_rule(policy, is_core)) rules.push_back(rule);
    }
    return objects_.map({{"resourceRules", &objects_.list(rules)}});
  }

  /// The kinds of the core group, whose resources have the names of others; or all other kinds in
  /// one rule, which matches combinations that do not exist as well. Null if there is none.
  const Node* resource_rule(const AdmissionPolicy& policy, bool is_core) {
    std::vector<std::string_view> groups;
    std::vector<std::string_view> versions;
    std::vector<std::string_view> resources;
    const auto add = [](std::vector<std::string_view>& texts, std::string_view text) {
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    };
    for (const AdmittedKind* kind : policy.kinds) {
      if (kind->group.empty() != is_core) continue;
      add(groups, kind->group);
      add(resources, kind->resource);
      for (const std::string_view version : split(kind->versions, ' ')) add(versions, version);
    }
    if (resources.empty()) return nullptr;
    return &objects_.map(
        {{"apiGroups", &objects_.texts(groups)},
         {"apiVersions", &objects_.texts(versions)},
         {"operations", &objects_.texts(std::array<std::string_view, 2>{"CREATE", "UPDATE"})},
         {"resources", &objects_.texts(resources)}});
  }

  /// The cheapest first. Those that begin with "scope-" decide what the policy is for.
  const Node& conditions(const AdmissionPolicy& policy, const ExportedRule& exported) {
    std::vector<const Node*> all = {
        &expression("scope-namespace",
                    fmt::format("!has(request.namespace) || !request.namespace.matches({})",
                                cel_string(kSystemNamespaces))),
        &expression("not-deleted", "has(object.spec) && !has(object.metadata.deletionTimestamp)")};
    std::vector<std::string> made;
    for (const AdmittedKind* kind : policy.kinds) {
      const bool is_checked_anyway =
          std::ranges::find(policy.unlabelled, kind) != policy.unlabelled.end();
      if (kind->made && !is_checked_anyway) made.push_back(cel_string(kind->name));
    }
    if (!made.empty()) {
      std::vector<std::string> labels;
      for (const std::string_view label : labels_of_made_objects()) {
        labels.push_back(cel_string(label));
      }
      all.push_back(
          &expression("scope-labels",
                      fmt::format("!(request.kind.kind in [{}]) || (has(object.metadata.labels) && "
                                  "[{}].exists(l, l in object.metadata.labels))",
                                  fmt::join(made, ", "), fmt::join(labels, ", "))));
    }
    if (options_.honors_ignore) {
      all.push_back(&expression(
          "not-ignored", fmt::format("!object.metadata.?annotations[?'{0}'].orValue('').split(',')"
                                     ".exists(n, n.trim() in ['all', '{1}', '{2}'])",
                                     kIgnoreAnnotation, exported.group, exported.rule->id)));
    }
    for (const auto& [name, text] : policy.conditions) all.push_back(&expression(name, text));
    return objects_.list(all);
  }

  /// Everything but Pods, or only these.
  const Node& pods_only(bool pods) {
    const Node& rule = objects_.map({{"apiGroups", &objects_.list({&objects_.text("")})},
                                     {"apiVersions", &objects_.list({&objects_.text("v1")})},
                                     {"operations", &objects_.list({&objects_.text("*")})},
                                     {"resources", &objects_.list({&objects_.text("pods")})}});
    return objects_.map(
        {{pods ? "resourceRules" : "excludeResourceRules", &objects_.list({&rule})}});
  }

  const VapOptions& options_;
  Objects objects_;
  std::string text_;
};

}  // namespace

AdmissionPolicy admission_policy(const ExportedRule& exported, const VapOptions& options) {
  const Rule& rule = *exported.rule;
  AdmissionPolicy policy;
  if (exported.policy) {
    // A name that no built-in rule has.
    policy.name = fmt::format("cnsched-policy-{}", rule.id);
    policy.kinds = exported.policy->kinds;
    policy.unlabelled = exported.policy->unlabelled;
    policy.conditions = exported.policy->conditions;
    policy.severities = {{exported.configured.value_or(rule.severity)}};
    set_expression(policy, exported.policy->of, exported.policy->findings);
    return policy;
  }
  const AdmissionCheck& check = *rule.admission;
  policy.name = fmt::format("cnsched-{}", rule.id);
  policy.kinds = kinds_named(check.kinds, options.made_objects);
  const auto findings = findings_of(check);
  std::vector<Severity> severities;
  for (const auto& [severity, expression] : findings) severities.push_back(severity);
  if (exported.configured) severities = {*exported.configured};
  policy.severities = by_actions(policy, severities, options.action);
  const bool is_split = policy.severities.size() > 1;
  set_expression(policy, check.of, joined(findings, is_split));
  return policy;
}

std::map<std::string, std::string> fact_parameters(const ClusterFacts& facts) {
  std::map<std::string, std::string> data;
  for (const kserve::KnativeFlag& flag : kserve::knative_flags()) {
    if (flag.gate == kserve::Gate::none || facts.knative_features.empty()) continue;
    const kserve::FlagVerdict verdict = kserve::verdict_on(flag, facts.knative_features);
    if (verdict.kind == kserve::FlagVerdict::Kind::unknown) continue;
    const bool accepts = verdict.kind == kserve::FlagVerdict::Kind::accepts;
    const bool allowed = verdict.state == kserve::FlagState::allowed;
    data[fmt::format("knative.{}", flag.key)] = accepts   ? "enabled"
                                                : allowed ? "allowed"
                                                          : "disabled";
  }
  const auto mode =
      std::ranges::find(kserve::mode_names(), facts.default_mode.mode, &kserve::ModeName::mode);
  if (mode != kserve::mode_names().end()) data["kserve.defaultDeploymentMode"] = mode->name;
  if (const auto& release = facts.releases().kserve) {
    data["kserve.release"] =
        fmt::format("{}.{}.{}", release->major, release->minor, release->patch);
  }
  if (const auto& release = facts.open_data_hub) {
    data["openDataHub.release"] =
        fmt::format("{}.{}.{}", release->major, release->minor, release->patch);
  }
  if (has_default_rollout(facts)) data["kserve.defaultRollout"] = "configured";
  if (facts.extended_resource_toleration == true) data["extendedResourceToleration"] = "true";
  for (const PluginFact& plugin : facts.plugins) {
    std::string& text = data[plugin_fact_name(plugin.vendor)];
    if (text.empty()) text = plugin.what;
    for (const k8s::Toleration& t : plugin.tolerations) {
      text += fmt::format("\n{}|{}|{}|{}", t.key, t.op, t.value, t.effect);
    }
  }
  return data;
}

std::string vap_documents(const std::vector<ExportedRule>& rules, const ClusterFacts& facts,
                          const VapOptions& options) {
  std::vector<std::pair<AdmissionPolicy, const ExportedRule*>> policies;
  std::set<std::vector<Severity>> parameters;
  for (const ExportedRule& rule : rules) {
    AdmissionPolicy policy = admission_policy(rule, options);
    if (policy.has_params && policy.severities.size() == 1) parameters.insert({{}});
    if (policy.severities.size() > 1) {
      parameters.insert(policy.severities.begin(), policy.severities.end());
    }
    policies.emplace_back(std::move(policy), &rule);
  }
  std::ranges::stable_sort(policies, {}, [](const auto& each) { return each.first.name; });
  VapWriter writer(options);
  for (const std::vector<Severity>& severities : parameters) {
    writer.add_facts(fact_parameters(facts), severities);
  }
  for (const auto& [policy, rule] : policies) writer.add_policy(policy, *rule);
  return std::move(writer).text();
}

}  // namespace cnsched::rules
