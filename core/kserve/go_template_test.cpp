#include "core/kserve/go_template.h"

#include <doctest/doctest.h>

#include "testdata/support.h"

namespace cnsched::kserve {

namespace {

/// `text` filled in for a service of the namespace "ml", or "as written".
std::string fill(const std::string& text, bool tls = false, const std::string& spec = "{}") {
  const test::Parsed parsed(
      "kind: LLMInferenceService\nmetadata: {name: llama, namespace: ml}\nspec: " + spec + "\n");
  const k8s::Object service = k8s::objects_in(parsed.document).front();
  return fill_template(text, {service, tls}).value_or("as written");
}

}  // namespace

TEST_CASE("fields of the service stand for their values") {
  CHECK(fill("no expression") == "no expression");
  CHECK(fill("{{ .Name }} in {{.Namespace}}") == "llama in ml");
  CHECK(fill("{{ .ObjectMeta.Name }}/{{ .ObjectMeta.Namespace }}") == "llama/ml");
  CHECK(fill("{{ .Spec.Model.Name }}", false, "{model: {name: opt}}") == "opt");
  CHECK(fill("{{ .Spec.Parallelism.DataLocal }}", false, "{parallelism: {dataLocal: 8}}") == "8");
}

TEST_CASE("a model without a name is called after its service") {
  CHECK(fill("{{ .Spec.Model.Name }}", false, "{model: {uri: hf://a/b}}") == "llama");
}

TEST_CASE("ChildName, and and or compute") {
  CHECK(fill("{{ ChildName .ObjectMeta.Name `-certs` }}") == "llama-certs");
  CHECK(fill("{{ or .Spec.Parallelism.Data 1 }}") == "1");
  CHECK(fill("{{ or .Spec.Parallelism.Data 1 }}", false, "{parallelism: {data: 4}}") == "4");
  CHECK(fill("{{ and .Name `x` }}") == "x");
}

TEST_CASE("if takes the branch that holds, and blanks are trimmed where a dash says so") {
  const std::string scheme = "{{ if .GlobalConfig.EnableTLS }}HTTPS{{else}}HTTP{{- end }}";
  CHECK(fill(scheme) == "HTTP");
  CHECK(fill(scheme, true) == "HTTPS");
  CHECK(fill("a {{- if .Name }} b {{ end -}} c") == "a b c");
  CHECK(fill("{{ if .Spec.Prefill }}{{ if .Name }}x{{ else }}y{{ end }}{{ else }}z{{ end }}") ==
        "z");
  CHECK(fill("a{{ if .Spec.Parallelism.Expert }}b{{ end }}c", false,
             "{parallelism: {expert: false}}") == "ac");
}

TEST_CASE("what does not hold is not evaluated") {
  CHECK(fill("a{{ if .Spec.KVCacheOffloading }}{{ kvTransferConfig .Spec.Nothing }}{{ end }}") ==
        "a");
}

TEST_CASE("what is not understood, or not known, leaves the text as it is written") {
  for (const std::string text :
       {"{{ shutdownTimeout .Spec.Template 15 }}", "{{ .GlobalConfig.IngressGatewayName }}",
        "{{ .Spec.Nothing }}", "{{ .Spec.Model }}", "{{ printf `%s` .Name }}", "{{ .Name | len }}",
        "{{ \"x\" }}", "{{ .Name", "{{ }}", "{{ if .Name }}x", "x{{ end }}", "{{ else }}",
        "{{ if .Name }}{{ else }}{{ else }}{{ end }}", "{{ `x }}", "{{ if }}x{{ end }}",
        "{{ ChildName .Name }}", "{{ ChildName .Name .Spec.Nothing }}"}) {
    CAPTURE(text);
    CHECK(fill(text, false, "{model: {uri: x}}") == "as written");
  }
}

TEST_CASE("a namespace that the manifest leaves to kubectl is not known") {
  const test::Parsed parsed("kind: LLMInferenceService\nmetadata: {name: llama}\nspec: {}\n");
  const k8s::Object service = k8s::objects_in(parsed.document).front();
  CHECK_FALSE(fill_template("{{ .Namespace }}", {service, false}));
}

}  // namespace cnsched::kserve
