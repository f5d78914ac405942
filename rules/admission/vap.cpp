#include "rules/admission/vap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
      text +=
          fmt::format("request.kind.kind in [{}] ?\n    ", fmt::join(kinds_of_form[form], ", "));
    }
    text += fmt::format("{}{}", form, form == forms.back() ? ")" : " :\n  ");
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

constexpr std::string_view kAdded =
    "variables.findings[0].filter(f, f != '' && "
    "!(variables.findings.size() > 1 && f in variables.findings[1]))";

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
  return all;
}

void set_expression(AdmissionPolicy& policy, AdmissionCheck::Of of, const std::string& text) {
  policy.variables = variables_of(of, text, policy.kinds);
  policy.has_params = std::ranges::any_of(policy.variables, [](const CelVariable& variable) {
    return reads_parameters(variable.expression);
  });
}

/// Of a policy of a configuration. Its name is none of a built-in rule.
AdmissionPolicy admission_policy(const ExportedRule& exported) {
  const PolicyCheck& check = *exported.policy;
  AdmissionPolicy policy{.name = fmt::format("cnsched-policy-{}", exported.rule->id),
                         .severity = exported.configured.value_or(exported.rule->severity),
                         .kinds = check.kinds,
                         .unlabelled = check.unlabelled,
                         .conditions = check.conditions};
  set_expression(policy, check.of, check.findings);
  return policy;
}

/// Findings that are joined to one list.
std::string joined(const std::vector<std::string_view>& expressions) {
  std::string text;
  for (const std::string_view expression : expressions) {
    if (expression.empty()) continue;
    text += fmt::format("{}({})", text.empty() ? "" : " +\n", trim(expression));
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

  void add_facts(const std::map<std::string, std::string>& facts) {
    Objects::Fields data;
    for (const auto& [key, value] : facts) data.emplace_back(key, &objects_.text(value));
    add(objects_.map(
        {{"apiVersion", &objects_.text("v1")},
         {"kind", &objects_.text("ConfigMap")},
         {"metadata", &objects_.map({{"name", &objects_.text(kFactsName)},
                                     {"namespace", &objects_.text(options_.params_namespace)},
                                     {"labels", &labels({})},
                                     {"annotations", &annotations({})}})},
         {"data", data.empty() ? nullptr : &objects_.map(data)}}));
  }

  void add_policy(const AdmissionPolicy& policy, const ExportedRule& exported) {
    add(objects_.map({{"apiVersion", &objects_.text(kApiVersion)},
                      {"kind", &objects_.text("ValidatingAdmissionPolicy")},
                      {"metadata", &metadata(policy.name, exported)},
                      {"spec", &policy_spec(policy, exported)}}));
    for (const bool pods : {false, true}) {
      if (pods && !has_binding_of_pods(policy)) continue;
      const std::string name = policy.name + (pods ? "-pods" : "");
      add(objects_.map({{"apiVersion", &objects_.text(kApiVersion)},
                        {"kind", &objects_.text("ValidatingAdmissionPolicyBinding")},
                        {"metadata", &metadata(name, exported)},
                        {"spec", &binding_spec(policy, pods)}}));
    }
  }

  std::string text() && { return std::move(text_); }

 private:
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

  const Node& metadata(std::string_view name, const ExportedRule& exported) {
    return objects_.map({{"name", &objects_.text(name)},
                         {"labels", &labels(exported.rule->id)},
                         {"annotations", &annotations(exported.docs)}});
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
    const Node& excluded = objects_.map({{"key", &objects_.text("kubernetes.io/metadata.name")},
                                         {"operator", &objects_.text("NotIn")},
                                         {"values", &objects_.texts(system_namespaces())}});
    std::vector<const Node*> rules;
    for (const bool is_core : {false, true}) {
      if (const Node* rule = resource_rule(policy, is_core)) rules.push_back(rule);
    }
    return objects_.map(
        {{"namespaceSelector", &objects_.map({{"matchExpressions", &objects_.list({&excluded})}})},
         {"resourceRules", &objects_.list(rules)}});
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
                    "!has(request.namespace) || "
                    "!request.namespace.matches('^(openshift|redhat-ods|nvidia|amd)-')"),
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
          "not-ignored",
          fmt::format("!has(object.metadata.annotations) || "
                      "!('{0}' in object.metadata.annotations) || "
                      "!object.metadata.annotations['{0}'].split(',').exists(n, n.trim() in "
                      "['all', '{1}', '{2}'])",
                      kIgnoreAnnotation, exported.group, exported.rule->id)));
    }
    for (const auto& [name, text] : policy.conditions) all.push_back(&expression(name, text));
    return objects_.list(all);
  }

  /// `pods`: whether the binding is the one for Pods.
  const Node& binding_spec(const AdmissionPolicy& policy, bool pods) {
    const Node* params = nullptr;
    if (policy.has_params) {
      params = &objects_.map({{"name", &objects_.text(kFactsName)},
                              {"namespace", &objects_.text(options_.params_namespace)},
                              {"parameterNotFoundAction", &objects_.text("Allow")}});
    }
    return objects_.map(
        {{"policyName", &objects_.text(policy.name)},
         {"paramRef", params},
         {"matchResources", has_binding_of_pods(policy) ? &pods_only(pods) : nullptr},
         {"validationActions", &objects_.texts(actions(policy, pods))}});
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

  /// Whether Pods need a binding of their own: they are never denied, because a Deployment could
  /// not replace its pods any more.
  bool has_binding_of_pods(const AdmissionPolicy& policy) const {
    return denies(policy) && policy.kinds.size() > 1 && has_kind(policy, "Pod");
  }

  static bool has_kind(const AdmissionPolicy& policy, std::string_view name) {
    return std::ranges::any_of(policy.kinds,
                               [&](const AdmittedKind* kind) { return kind->name == name; });
  }

  /// A Node that is denied is a node that cannot join.
  bool denies(const AdmissionPolicy& policy) const {
    return options_.action == AdmissionAction::deny && policy.severity == Severity::error &&
           !has_kind(policy, "Node");
  }

  std::vector<std::string_view> actions(const AdmissionPolicy& policy, bool pods) const {
    if (options_.action == AdmissionAction::audit || policy.severity == Severity::info) {
      return {"Audit"};
    }
    const bool is_of_pods = pods || (policy.kinds.size() == 1 && has_kind(policy, "Pod"));
    return {denies(policy) && !is_of_pods ? "Deny" : "Warn", "Audit"};
  }

  const VapOptions& options_;
  Objects objects_;
  std::string text_;
};

}  // namespace

std::vector<AdmissionPolicy> admission_policies(const ExportedRule& exported,
                                                const VapOptions& options) {
  if (exported.policy) return {admission_policy(exported)};
  const AdmissionCheck& check = *exported.rule->admission;
  const std::string base = fmt::format("cnsched-{}", exported.rule->id);
  std::vector<AdmissionPolicy> policies;
  const auto add = [&](Severity severity, const std::string& expression) {
    if (expression.empty()) return;
    const bool is_usual = exported.configured || severity == exported.rule->severity;
    AdmissionPolicy policy{.name = is_usual ? base : fmt::format("{}-{}", base, name_of(severity)),
                           .severity = severity,
                           .kinds = kinds_named(check.kinds, options.made_objects)};
    set_expression(policy, check.of, expression);
    policies.push_back(std::move(policy));
  };
  if (exported.configured) {
    add(*exported.configured, joined({check.errors, check.warnings, check.infos}));
  } else {
    add(Severity::error, joined({check.errors}));
    add(Severity::warning, joined({check.warnings}));
    add(Severity::info, joined({check.infos}));
  }
  return policies;
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
  for (const ExportedRule& rule : rules) {
    for (AdmissionPolicy& policy : admission_policies(rule, options)) {
      policies.emplace_back(std::move(policy), &rule);
    }
  }
  std::ranges::stable_sort(policies, {}, [](const auto& each) { return each.first.name; });
  VapWriter writer(options);
  if (std::ranges::any_of(policies, [](const auto& each) { return each.first.has_params; })) {
    writer.add_facts(fact_parameters(facts));
  }
  for (const auto& [policy, rule] : policies) writer.add_policy(policy, *rule);
  return std::move(writer).text();
}

}  // namespace cnsched::rules
