// Evaluates the exported expressions with core/cel, as the API server does.
#include "rules/admission/vap.h"
#include "core/cel/program.h"
#include "core/cel/yaml_value.h"
#include "core/workloads/cluster_scope.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "rules/engine/example.h"
#include "rules/engine/rule_set.h"
#include "rules/engine/run.h"
#include "rules/policy/policy_example.h"
#include "rules/policy/policy_reader.h"
#include "rules/registry.h"
#include "testdata/support.h"

namespace cnsched::rules::vap_test {

using cel::BuiltMap;
using cel::Value;

Value map_value(const std::vector<std::pair<std::string, Value>>& entries) {
  auto map = std::make_shared<BuiltMap>();
  for (const auto& [key, value] : entries) map->insert(Value::string(key), value);
  return Value(std::shared_ptr<const cel::Map>(std::move(map)));
}

std::vector<std::string> texts_of(const Value& list) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.list().size(); ++i) {
    texts.emplace_back(list.list().at(i).text());
  }
  return texts;
}

/// A request with its facts.
struct Admitted {
  const k8s::Object& object;
  Value old_object{};
  std::map<std::string, std::string> facts{};
};

/// The value of an expression of a policy.
class Evaluation {
 public:
  Evaluation(const AdmissionPolicy& policy, const Admitted& admitted) {
    std::vector<std::pair<std::string, Value>> data;
    for (const auto& [key, value] : admitted.facts) data.emplace_back(key, Value::string(value));
    given_ = {
        {"object", cel::value_of(*admitted.object.root)},
        {"oldObject", admitted.old_object},
        {"request",
         map_value(
             {{"kind", map_value({{"group", Value::string(std::string(admitted.object.group()))},
                                  {"kind", Value::string(std::string(admitted.object.kind))}})}})},
        {"params", map_value({{"data", map_value(data)}})}};
    for (const CelVariable& variable : policy.variables) {
      INFO(variable.name);
      values_->insert(Value::string(variable.name), evaluate(variable.expression));
    }
  }

  Value evaluate(const std::string& expression) {
    const cel::Compiled compiled = cel::compile(expression);
    INFO(expression);
    REQUIRE_MESSAGE(compiled, compiled.error.message);
    std::vector<cel::Variable> variables = given_;
    variables.push_back({"variables", Value(std::shared_ptr<const cel::Map>(values_))});
    cel::Budget budget;
    const Value value = compiled.program->evaluate(variables, budget);
    if (value.is_failure()) FAIL(value.message());
    programs_.push_back(*compiled.program);
    return value;
  }

 private:
  std::vector<cel::Variable> given_;
  std::shared_ptr<BuiltMap> values_ = std::make_shared<BuiltMap>();
  std::vector<cel::Program> programs_;  // values may refer to them
};

const std::string kAllFindings = "variables.findings[0].filter(f, f != '')";

ExportedRule exported(const Listed& listed) {
  return {.rule = listed.rule, .group = listed.group, .configured = {}, .docs = {}};
}

bool checks(const AdmissionPolicy& policy, const k8s::Object& object) {
  return std::ranges::any_of(policy.kinds, [&](const AdmittedKind* kind) {
    return kind->name == object.kind && kind->group == object.group();
  });
}

/// The findings of the rule's policy in the objects of the example.
std::vector<std::string> admission_findings(const Listed& listed, std::string_view example) {
  Workspace workspace;
  workspace.load({.memory_files = example_files(example)});
  std::vector<std::string> found;
  const AdmissionPolicy policy = admission_policy(exported(listed), {.made_objects = true});
  INFO(policy.name);
  for (const k8s::Object& object : workspace.objects()) {
    if (!checks(policy, object)) continue;
    const ClusterScope& scope = workspace.scopes().front();
    Evaluation evaluation(policy, {object, {}, fact_parameters(scope.facts(object))});
    const std::vector<std::string> own = texts_of(evaluation.evaluate(kAllFindings));
    CHECK(evaluation.evaluate(std::string(kNoNewFindings)).is_true() == own.empty());
    CHECK(evaluation.evaluate(std::string(kFindingsMessage)).text().empty() == own.empty());
    found.insert(found.end(), own.begin(), own.end());
  }
  return found;
}

std::vector<Listed> exported_rules() {
  std::vector<Listed> rules;
  for (const Listed& listed : all_rules()) {
    if (listed.rule->admission) rules.push_back(listed);
  }
  return rules;
}

/// The policies of a text.
std::vector<std::shared_ptr<const Policy>> policies_of(const std::string& text) {
  const SourceFile file(0, "policies.yaml", text);
  std::vector<Error> errors;
  auto policies = read_policies(file, errors);
  INFO(joined(errors).message);
  CHECK(errors.empty());
  return policies;
}

/// Why the first policy of the text is not exported; empty if it is.
std::string why_not(const std::string& rest) {
  const auto policies =
      policies_of("apiVersion: cnsched/v1\nkind: Policy\nid: tried\nsummary: tried\n" + rest);
  REQUIRE(policies.size() == 1);
  const auto check = policy_check(*policies.front(), true);
  return check ? std::string() : check.error().message;
}

/// What the exported policy finds in the objects of a manifest.
std::vector<std::string> findings_in(const std::shared_ptr<const Policy>& policy,
                                     const std::string& manifest) {
  const RuleSet rules({policy});
  auto check = policy_check(*policy, true);
  REQUIRE_MESSAGE(check, check.error().message);
  const ExportedRule exported{.rule = rules.policies().front().rule,
                              .group = kPolicyGroup,
                              .configured = {},
                              .docs = {},
                              .policy = *std::move(check)};
  const AdmissionPolicy admission = admission_policy(exported, {.made_objects = true});
  Workspace workspace;
  workspace.load({.memory_files = {{"manifest.yaml", manifest}}});
  std::vector<std::string> found;
  for (const k8s::Object& object : workspace.objects()) {
    if (!checks(admission, object)) continue;
    Evaluation evaluation(admission, {.object = object});
    const bool is_matched = std::ranges::all_of(admission.conditions, [&](const CelVariable& each) {
      return evaluation.evaluate(each.expression).is_true();
    });
    if (!is_matched) continue;
    for (std::string& text : texts_of(evaluation.evaluate(kAllFindings))) {
      found.push_back(std::move(text));
    }
  }
  return found;
}

TEST_CASE("every worked policy is exported and finds its bad manifests, or says why not") {
  std::size_t exported = 0;
  for (const auto& entry : std::filesystem::directory_iterator(project_file("testdata/policies"))) {
    INFO(entry.path().string());
    const auto policy = policies_of(read_all(entry.path().string())).front();
    if (const auto check = policy_check(*policy, true); !check) {
      CHECK(check.error().message.find("'accelerators.") == 0);
      continue;
    }
    ++exported;
    for (const PolicyExample& example : policy->bad) {
      INFO(example.text);
      CHECK_FALSE(findings_in(policy, example_manifest(example.text)).empty());
    }
    for (const PolicyExample& example : policy->good) {
      INFO(example.text);
      CHECK(findings_in(policy, example_manifest(example.text)) == std::vector<std::string>{});
    }
  }
  constexpr std::size_t kLeast = 14;
  CHECK(exported >= kLeast);
}

TEST_CASE("what no expression can say is not exported, and the field is named") {
  CHECK(why_not("require: {priorityClassName: a}\n").empty());
  const std::string rest = "\nrequire: {priorityClassName: a}\n";
  CHECK(why_not("match: {files: prod/}" + rest) == "'match.files': the API server knows no files");
  CHECK(why_not("match: {clusters: prod}" + rest) ==
        "'match.clusters': the API server has one cluster");
  CHECK(why_not("match: {namespaces: \"\"}" + rest) ==
        "'match.namespaces': the API server knows the namespace of every object");
  CHECK(why_not("match: {kinds: InferenceGraph}" + rest) ==
        "'match.kinds': 'InferenceGraph' is none of the kinds that are exported");
  CHECK(why_not("match: {kinds: [Node, Pod]}" + rest) ==
        "'match.kinds': kinds with and without pods need policies of their own");
  CHECK(why_not("require: {accelerators.product: nvidia-l4}\n") ==
        "'accelerators.product': the catalogue of accelerators is too large for an expression");
  CHECK(why_not("exclude: {names: \"**\"}" + rest) ==
        "'match.names': the pattern '**' has no translation");
}

TEST_CASE("what a runtime may change is not reported") {
  const auto policy =
      policies_of(
          "apiVersion: cnsched/v1\nkind: Policy\nid: a\nsummary: s\n"
          "require: {priorityClassName: high, containers: {all: {image: {matches: ^ours/}}}}\n")
          .front();
  const auto service = [](const std::string& predictor) {
    return "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
           "metadata: {name: a}\nspec:\n  predictor: {" +
           predictor + "}\n";
  };
  using Messages = std::vector<std::string>;
  CHECK(findings_in(policy, service("model: {modelFormat: {name: onnx}, runtime: r}")).empty());
  CHECK(findings_in(policy, service("priorityClassName: low, model: {runtime: r}")) ==
        Messages{"predictor: s"});
  CHECK(findings_in(policy, service("containers: [{name: a, image: ours/a}]")) ==
        Messages{"predictor: s"});
  CHECK(findings_in(policy, service("priorityClassName: high, "
                                    "containers: [{name: a, image: theirs/a}]")) ==
        Messages{"predictor: s"});
  CHECK(findings_in(policy, service("priorityClassName: high, "
                                    "containers: [{name: a, image: ours/a}]"))
            .empty());
}

TEST_CASE("texts of policies are only texts") {
  const std::vector<std::string> texts = {
      "'",
      "\\",
      "\\'",
      "') || true || ('",
      "\"}}\n---\nkind: X",
      "$1 $2",
      "list(a) is_set(b) pod.gated params.data variables.modes",
      "{{ x }} ${y} #",
      "tab\tbell\a delete\x7f",
      "\xC2\x85 \xE2\x80\xA8 \xEF\xBB\xBF \xF0\x9F\x98\x80",
      "/* */ // \r",
  };
  for (const std::string& text : texts) {
    INFO(text);
    Policy policy{.id = "hostile", .summary = text};
    policy.help = text + "\n" + text;
    policy.source = text;
    Condition condition{.kind = Condition::Kind::field};
    condition.field = {
        .id = FieldId::node_selector, .key = text, .text = "nodeSelector['" + text + "']"};
    condition.add({.op = Operator::in, .words = {text}});
    policy.require.push_back(condition);
    condition.field = {.id = FieldId::pod_pointer, .path = {"spec", text, "*", text}, .text = text};
    policy.forbid.push_back(condition);
    policy.match.names.emplace_back("*" + text + "?[" + text + "]");
    policy.match.names.emplace_back("a");
    policy.exclude.labels.push_back({text, {NamePattern(text)}});
    const auto shared = std::make_shared<Policy>(policy);
    const std::string manifest =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a}]}\n";
    if (policy_check(policy, true)) CHECK(findings_in(shared, manifest).size() == 1);
    shared->match.names.clear();
    CHECK(findings_in(shared, manifest).size() == 1);
    const RuleSet rules({shared});
    const ExportedRule exported{.rule = rules.policies().front().rule,
                                .group = kPolicyGroup,
                                .configured = {},
                                .docs = text,
                                .policy = *policy_check(*shared, true)};
    const AdmissionPolicy admission = admission_policy(exported, {});
    CHECK_FALSE(admission.has_params);
    const SourceFile file(0, "vap.yaml", vap_documents({exported}, {}, {}));
    const std::vector<Span> documents = yaml::split(file);
    REQUIRE(documents.size() == 2);
    const yaml::Document written = yaml::parse(file, documents.front());
    const yaml::Document binding = yaml::parse(file, documents.back());
    CHECK(written.problems.empty());
    CHECK((*written.root)["kind"].text() == "ValidatingAdmissionPolicy");
    CHECK((*binding.root)["kind"].text() == "ValidatingAdmissionPolicyBinding");
    const yaml::Node& variables = (*written.root)["spec"]["variables"];
    REQUIRE(variables.items().size() == admission.variables.size());
    for (std::size_t i = 0; i < admission.variables.size(); ++i) {
      CHECK((*variables.items()[i])["expression"].text() == admission.variables[i].expression);
    }
  }
}

TEST_CASE("every rule has either an expression for the API server or a reason why it has none") {
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    CHECK(rule.admission.has_value() == rule.not_exported.empty());
    CHECK_FALSE(rule.not_exported.ends_with('.'));
    if (!rule.admission) continue;
    const AdmissionCheck& check = *rule.admission;
    CHECK_FALSE(fmt::format("{}{}{}", check.errors, check.warnings, check.infos).empty());
    CHECK_FALSE(kinds_named(check.kinds, true).empty());
  }
}

TEST_CASE("exported expressions find the bad example of their rule, and not the good one") {
  for (const Listed& listed : exported_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    const std::vector<std::string> found = admission_findings(listed, rule.bad);
    CHECK_FALSE(found.empty());
    CHECK(admission_findings(listed, rule.good).empty());
    Workspace workspace;
    for (const Diagnostic& finding : lint_example(rule, rule.bad, workspace)) {
      INFO(finding.message);
      INFO(fmt::format("{}", fmt::join(found, "\n")));
      CHECK(std::ranges::any_of(found, [&](const std::string& text) {
        return text.find(finding.message) != std::string::npos;
      }));
    }
  }
}

TEST_CASE("an update is reported only for what the old object does not have") {
  for (const Listed& listed : exported_rules()) {
    INFO(listed.rule->id);
    Workspace workspace;
    workspace.load({.memory_files = example_files(listed.rule->bad)});
    const AdmissionPolicy policy = admission_policy(exported(listed), {});
    for (const k8s::Object& object : workspace.objects()) {
      if (!checks(policy, object)) continue;
      const ClusterScope& scope = workspace.scopes().front();
      Evaluation evaluation(
          policy, {object, cel::value_of(*object.root), fact_parameters(scope.facts(object))});
      CHECK(evaluation.evaluate(std::string(kNoNewFindings)).is_true());
    }
  }
}

TEST_CASE("fragments are expanded in calls, not in members and strings") {
  CHECK(expand_fragments("is_set(a.?b)") == "optional.ofNonZeroValue(a.?b.orValue('')).hasValue()");
  CHECK(expand_fragments("a.list(b) + 'is_set(a)' + list") == "a.list(b) + 'is_set(a)' + list");
  CHECK(expand_fragments("fact('a, (b') == \"'\"") ==
        "params.?data[?'a, (b'].orValue('') == \"'\"");
}

TEST_CASE("all policies together are smaller than 400 KB") {
  std::vector<ExportedRule> rules;
  for (const Listed& listed : exported_rules()) rules.push_back(exported(listed));
  const std::string text = vap_documents(
      rules, {}, {.action = AdmissionAction::deny, .made_objects = true, .honors_ignore = true});
  constexpr std::size_t kLimit = 400'000;
  CHECK(text.size() < kLimit);
}

}  // namespace cnsched::rules::vap_test
