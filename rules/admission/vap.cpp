#include "rules/admission/admission_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "core/base/arena.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/kserve/knative_features.h"
#include "core/yaml/tree.h"
#include "core/yaml/write.h"
#include "rules/engine/ignore.h"
#include "rules/page.h"

namespace cnsched::rules {

namespace {

/// Labels of objects that KServe and Seldon make.
// serving.kserve.io: KServe; seldon-: Seldon Core 1 and 2.
constexpr auto kLabelsOfMadeObjects = std::to_array<std::string_view>(
    {"serving.kserve.io/inferenceservice", "serving.kserve.io/inferencegraph",
     "seldon-deployment-id", "seldon-server-name"});

/// The namespaces whose objects no policy checks, as a regular expression.
constexpr std::string_view kSystemNamespaces =
    "^(cert-manager|gpu-operator|istio-system|knative-eventing|knative-serving|kserve|"
    "kube-node-lease|kube-public|kube-system|seldon-system)$|^(amd|nvidia|openshift|redhat-ods)-";

using yaml::Node;

constexpr std::string_view kApiVersion = "admissionregistration.k8s.io/v1";
constexpr std::string_view kFactsName = "cnsched-facts";

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
    const std::string message =
        fmt::format("{}: {}", exported.rule->id, page_of(*exported.rule).summary);
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
      if (!is_one_of(text, texts)) texts.push_back(text);
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
    std::vector<std::string_view> made;
    for (const AdmittedKind* kind : policy.kinds) {
      if (kind->made) made.push_back(kind->name);
    }
    if (!made.empty()) {
      all.push_back(
          &expression("scope-labels",
                      fmt::format("!(request.kind.kind in {}) || (has(object.metadata.labels) && "
                                  "{}.exists(l, l in object.metadata.labels))",
                                  cel_strings(made), cel_strings(kLabelsOfMadeObjects))));
    }
    if (options_.honors_ignore) {
      all.push_back(&expression(
          "not-ignored", fmt::format("!object.metadata.?annotations[?'{0}'].orValue('').split(',')"
                                     ".exists(n, n.trim() in ['all', '{1}', '{2}'])",
                                     kIgnoreAnnotation, exported.group, exported.rule->id)));
    }
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

std::map<std::string, std::string> fact_parameters(const facts::ClusterFacts& facts) {
  std::map<std::string, std::string> data;
  for (const kserve::KnativeFlag& flag : kserve::knative_flags()) {
    if (flag.gate == kserve::Gate::none || facts.knative_features.empty()) continue;
    const kserve::FlagVerdict verdict = kserve::verdict_on(flag, facts.knative_features);
    if (verdict.accepts == Truth::unknown) continue;
    const bool accepts = verdict.accepts == Truth::yes;
    const bool allowed = verdict.state == kserve::FlagState::allowed;
    data[fmt::format("knative.{}", flag.key)] = accepts   ? "enabled"
                                                : allowed ? "allowed"
                                                          : "disabled";
  }
  const auto mode =
      std::ranges::find(kserve::mode_names(), facts.default_mode.mode, &kserve::ModeName::mode);
  if (mode != kserve::mode_names().end()) data["kserve.defaultDeploymentMode"] = mode->name;
  const auto add_release = [&](const char* key, const std::optional<Version>& release) {
    // With the patch, so that expressions can match "0.15.".
    if (release) data[key] = fmt::format("{}.{}", to_string(*release), release->patch);
  };
  add_release("kserve.release", facts.releases().kserve);
  add_release("openDataHub.release", facts.open_data_hub);
  if (has_default_rollout(facts)) data["kserve.defaultRollout"] = "configured";
  if (facts.extended_resource_toleration == true) data["extendedResourceToleration"] = "true";
  for (const facts::PluginFact& plugin : facts.plugins) {
    std::string& text = data[plugin_fact_name(plugin.vendor)];
    if (text.empty()) text = plugin.what;
    for (const k8s::Toleration& t : plugin.tolerations) {
      text += fmt::format("\n{}|{}|{}|{}", t.key, t.op, t.value, t.effect);
    }
  }
  return data;
}

std::string vap_documents(const std::vector<ExportedRule>& rules, const facts::ClusterFacts& facts,
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
  const std::map<std::string, std::string> data = fact_parameters(facts);
  for (const std::vector<Severity>& severities : parameters) writer.add_facts(data, severities);
  for (const auto& [policy, rule] : policies) writer.add_policy(policy, *rule);
  return std::move(writer).text();
}

}  // namespace cnsched::rules
