#include "core/kserve/go_template.h"
#include "testdata/support.h"

namespace cnsched::kserve::go_template_test {

/// `text` evaluated for a service in namespace "ml", or "as written".
std::string fill(const std::string& text, bool tls = false, const std::string& spec = "{}") {
  const Parsed parsed(
      "kind: LLMInferenceService\nmetadata: {name: llama, namespace: ml}\nspec: " + spec + "\n");
  const k8s::Object& service = parsed.object();
  return fill_template(text, {service, tls}).value_or("as written");
}

TEST_CASE("replaces fields of the service with their values") {
  CHECK(fill("no expression") == "no expression");
  CHECK(fill("{{ .Name }} in {{.Namespace}}") == "llama in ml");
  CHECK(fill("{{ .ObjectMeta.Name }}/{{ .ObjectMeta.Namespace }}") == "llama/ml");
  CHECK(fill("{{ .Spec.Model.Name }}", false, "{model: {name: opt}}") == "opt");
  CHECK(fill("{{ .Spec.Parallelism.DataLocal }}", false, "{parallelism: {dataLocal: 8}}") == "8");
}

TEST_CASE("names a model without a name after its service") {
  CHECK(fill("{{ .Spec.Model.Name }}", false, "{model: {uri: hf://a/b}}") == "llama");
}

TEST_CASE("evaluates ChildName, and, or") {
  CHECK(fill("{{ ChildName .ObjectMeta.Name `-certs` }}") == "llama-certs");
  CHECK(fill("{{ or .Spec.Parallelism.Data 1 }}") == "1");
  CHECK(fill("{{ or .Spec.Parallelism.Data 1 }}", false, "{parallelism: {data: 4}}") == "4");
  CHECK(fill("{{ and .Name `x` }}") == "x");
  CHECK(fill("{{ \"x\" }}") == "x");
  CHECK(fill("{{ \"-x\" | ChildName .Name }}{{ (or `` \"y\") }}{{/* z */}}") == "llama-xy");
}

TEST_CASE("evaluates if, and trims blanks at a dash") {
  const std::string scheme = "{{ if .GlobalConfig.EnableTLS }}HTTPS{{else}}HTTP{{- end }}";
  CHECK(fill(scheme) == "HTTP");
  CHECK(fill(scheme, true) == "HTTPS");
  CHECK(fill("a {{- if .Name }} b {{ end -}} c") == "a b c");
  CHECK(fill("{{ if .Spec.Prefill }}{{ if .Name }}x{{ else }}y{{ end }}{{ else }}z{{ end }}") ==
        "z");
  CHECK(fill("a{{ if .Spec.Parallelism.Expert }}b{{ end }}c", false,
             "{parallelism: {expert: false}}") == "ac");
}

TEST_CASE("does not evaluate a branch whose condition is false") {
  CHECK(fill("a{{ if .Spec.KVCacheOffloading }}{{ kvTransferConfig .Spec.Nothing }}{{ end }}") ==
        "a");
}

TEST_CASE("keeps the text of an expression that is not supported or whose value is unknown") {
  for (const std::string text :
       {"{{ shutdownTimeout .Spec.Template 15 }}", "{{ .GlobalConfig.IngressGatewayName }}",
        "{{ .Spec.Nothing }}", "{{ .Spec.Model }}", "{{ printf `%s` .Name }}", "{{ .Name | len }}",
        "{{ 'x' }}", "{{ \"\\n\" }}", "{{ .Name", "{{ }}", "{{ if .Name }}x", "x{{ end }}",
        "{{ else }}", "{{ if .Name }}{{ else }}{{ else }}{{ end }}", "{{ `x }}",
        "{{ if }}x{{ end }}", "{{ ChildName .Name }}", "{{ ChildName .Name .Spec.Nothing }}"}) {
    CAPTURE(text);
    CHECK(fill(text, false, "{model: {uri: x}}") == "as written");
  }
}

TEST_CASE("treats a namespace that the manifest does not set as unknown") {
  const Parsed parsed("kind: LLMInferenceService\nmetadata: {name: llama}\nspec: {}\n");
  const k8s::Object& service = parsed.object();
  CHECK_FALSE(fill_template("{{ .Namespace }}", {service, false}));
}

struct Filled {
  explicit Filled(const std::string& spec)
      : parsed("metadata: {name: llama}\nspec: " + spec + "\n"),
        service(parsed.object()),
        node(filled(service.spec(), {service, false}, arena)) {}

  Parsed parsed;
  k8s::Object service;
  Arena arena;
  const yaml::Node& node;
};

TEST_CASE("gives a filled-in value the span of its expression") {
  const Filled tree("{a: ['{{ .Name }}', plain], b: {c: '{{ unknown }}'}}");
  const yaml::Node& name = tree.node.under("a").at(0);
  CHECK(name.text() == "llama");
  CHECK(name.made);
  CHECK(tree.parsed.at(name.span) == "'{{ .Name }}'");
  CHECK_FALSE(tree.node.under("a").at(1).made);
  CHECK(tree.node.under("b").under("c").text() == "{{ unknown }}");
}

TEST_CASE("returns a tree without expressions unchanged") {
  const Filled tree("{a: [1, {b: c}]}");
  CHECK(&tree.node == &tree.service.spec());
}

TEST_CASE("limits the depth to which it follows aliases") {
  std::string spec = "\n  a0: &a0 ['{{ .Name }}']\n";
  for (int i = 1; i < 300; ++i) spec += fmt::format("  a{0}: &a{0} [*a{1}]\n", i, i - 1);
  const Filled tree(spec);
  CHECK(tree.node.under("a1").at(0).at(0).text() == "llama");
  CHECK(tree.node.under("a299").at(0).items().size() == 1);
}

}  // namespace cnsched::kserve::go_template_test
