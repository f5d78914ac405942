#include "core/k8s/string_fields.h"
#include "testdata/support.h"

namespace cnsched::k8s::string_fields_test {

using Where = StringField::Where;

/// The text of every value found at `where`.
std::vector<std::string> found(const std::string& text, Where where) {
  const Parsed parsed(text);
  std::vector<std::string> values;
  for (const StringField& field : string_fields(parsed.root())) {
    if (field.where == where) values.emplace_back(field.value->text());
  }
  return values;
}

using Texts = std::vector<std::string>;

TEST_CASE("finds string fields at any depth") {
  CHECK(found("spec: {predictor: {nodeSelector: {a: b}}}", Where::node_selector) == Texts{"b"});
  CHECK(found("metadata: {labels: {a: b}, annotations: {c: d}}", Where::label) == Texts{"b"});
  CHECK(found("metadata: {labels: {a: b}, annotations: {c: d}}", Where::annotation) == Texts{"d"});
  CHECK(found("tolerations: [{key: k, value: v}, {key: k}]", Where::toleration) == Texts{"v"});
  CHECK(found("taints: [{key: k, value: v}]", Where::taint) == Texts{"v"});
  CHECK(found("env: [{name: n, value: v}]", Where::environment) == Texts{"v"});
  CHECK(found("matchExpressions: [{key: k, values: [a, b]}]", Where::requirement) ==
        Texts{"a", "b"});
}

TEST_CASE("distinguishes values of preferred terms") {
  const std::string text =
      "preferred: [{preference: {matchExpressions: [{key: k, values: [a]}]}, weight: 1}]";
  CHECK(found(text, Where::preference) == Texts{"a"});
  CHECK(found(text, Where::requirement).empty());
}

TEST_CASE("takes the effective value of a repeated key and merged entries once") {
  CHECK(found("nodeSelector: {a: x, a: y}", Where::node_selector) == Texts{"y"});
  CHECK(found("one: {nodeSelector: &s {a: x}}\ntwo: {nodeSelector: {<<: *s}}",
              Where::node_selector) == Texts{"x"});
}

TEST_CASE("ignores subtrees without a schema") {
  CHECK(found("config: {inline: {labels: {a: b}}}", Where::label).empty());
  CHECK(found("inline: {labels: {a: b}}", Where::label) == Texts{"b"});
}

}  // namespace cnsched::k8s::string_fields_test
