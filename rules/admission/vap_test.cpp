// Evaluates the exported expressions with core/cel, as the API server does.
#include "core/cel/program.h"
#include "core/cel/value.h"
#include "core/workspace/cluster_scope.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "rules/admission/admission_check.h"
#include "rules/admission/admission_policy.h"
#include "rules/engine/example.h"
#include "rules/engine/run.h"
#include "rules/page.h"
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
    if (admission_of(*listed.rule) != nullptr) rules.push_back(listed);
  }
  return rules;
}

TEST_CASE("every rule has either an expression for the API server or a reason why it has none") {
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    const AdmissionCheck* check = admission_of(rule);
    CHECK((check != nullptr) == page_of(rule).not_exported.empty());
    CHECK_FALSE(page_of(rule).not_exported.ends_with('.'));
    if (check == nullptr) continue;
    CHECK_FALSE(fmt::format("{}{}{}", check->errors, check->warnings, check->infos).empty());
    CHECK_FALSE(kinds_named(check->kinds, true).empty());
  }
}

TEST_CASE("exported expressions find the bad example of their rule, and not the good one") {
  for (const Listed& listed : exported_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    const std::vector<std::string> found = admission_findings(listed, page_of(rule).bad);
    CHECK_FALSE(found.empty());
    CHECK(admission_findings(listed, page_of(rule).good).empty());
    Workspace workspace;
    for (const Diagnostic& finding : lint_example(rule, page_of(rule).bad, workspace)) {
      INFO(finding.message);
      INFO(fmt::format("{}", fmt::join(found, "\n")));
      CHECK(std::ranges::any_of(
          found, [&](const std::string& text) { return has(text, finding.message); }));
    }
  }
}

TEST_CASE("an update is reported only for what the old object does not have") {
  for (const Listed& listed : exported_rules()) {
    INFO(listed.rule->id);
    Workspace workspace;
    workspace.load({.memory_files = example_files(page_of(*listed.rule).bad)});
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
