#include "core/kserve/runtime_merge.h"
#include "core/kserve/go_template.h"
#include "testdata/support.h"

namespace cnsched::kserve::runtime_merge_test {

std::string merged(const std::string& base, const std::string& patch) {
  const Parsed below(base);
  const Parsed above(patch);
  Arena arena;
  return compact(merge_container(below.root(), above.root(), arena));
}

std::string filled(const std::string& container) {
  const Parsed manifest(
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
      "metadata: {name: llm, namespace: ml, labels: {team: nlp}, annotations: {rev: r1}}\n");
  const Parsed parsed(container);
  Arena arena;
  return compact(with_placeholders_filled(parsed.root(), manifest.object(), arena));
}

TEST_CASE("appends args to the runtime's, and replaces the command") {
  CHECK(merged("{name: a, args: [x], command: [c]}", "{args: [z], command: [d]}") ==
        R"({"args":["x","z"],"command":["d"],"name":"a"})");
  CHECK(merged("{name: a, args: [x]}", "{args: []}") == R"({"args":["x"],"name":"a"})");
  CHECK(merged("{name: a}", "{args: [z]}") == R"({"args":["z"],"name":"a"})");
}

TEST_CASE("keeps the name of the runtime's container") {
  CHECK(merged("{name: a}", "{name: b, image: c}") == R"({"image":"c","name":"a"})");
}

TEST_CASE("keeps the InferenceService's choice of value or valueFrom") {
  CHECK(merged("env: [{name: A, value: x}]", "env: [{name: A, valueFrom: {f: {}}}]") ==
        R"({"env":[{"name":"A","valueFrom":{"f":{}}}]})");
  CHECK(merged("env: [{name: A, valueFrom: {f: {}}}]", "env: [{name: A, value: x}]") ==
        R"({"env":[{"name":"A","value":"x"}]})");
  CHECK(merged("env: [{name: A, valueFrom: {f: {}}}]", "env: [{name: A, value: ''}]") ==
        R"({"env":[{"name":"A","valueFrom":{"f":{}}}]})");
}

TEST_CASE("fills placeholders in strings, not in keys") {
  CHECK(filled(R"({args: ["--n={{.Name}}", "{{ .Namespace }}/{{.Labels.team}}"]})") ==
        R"({"args":["--n=llm","ml/nlp"]})");
  CHECK(filled(R"({volumeMounts: [{subPath: "{{.Annotations.rev}}"}], "{{.Name}}": a})") ==
        R"({"volumeMounts":[{"subPath":"r1"}],"{{.Name}}":"a"})");
}

TEST_CASE("a placeholder trims blanks at a dash") {
  CHECK(filled(R"({args: ["a {{- .Name -}} b {{ .Spec -}} c {{ .Name }}"]})") ==
        R"({"args":["allmb {{ .Spec -}} c llm"]})");
}

TEST_CASE("replaces the placeholder of an unset label with an empty string") {
  CHECK(filled(R"({args: ["a{{.Labels.none}}b", "{{.Spec}}", "{{", "{{.Name"]})") ==
        R"({"args":["ab","{{.Spec}}","{{","{{.Name"]})");
}

}  // namespace cnsched::kserve::runtime_merge_test
