#include "core/yaml/template_text.h"
#include "testdata/support.h"

namespace cnsched::yaml::template_text_test {

TEST_CASE("an action that begins a line, an item or a value makes a template") {
  for (const char* text : {
           "{{- if .Values.gpu }}\na: b\n{{- end }}\n",
           "a: b\n  {{ include \"x\" . }}\n",
           "a:\n- {{ .x }}\n",
           "a: {{ .Values.name }}\n",
           "\"quoted key\": {{ .x }}\n",
           "{% if gpu %}\n",
           "a: {% raw %}\n",
           "- - name: {{ x }}\n",
       }) {
    INFO(text);
    CHECK(has_template_actions(text));
  }
}

TEST_CASE("ignores braces in strings, block scalars and comments") {
  for (const char* text : {
           "a: \"{{ .Name }}\"\n",
           "a: x-{{ .Name }}\n",
           "a: |\n  {{ .Name }}\n  {% for m in messages %}\nb: c\n",
           "a: >-\n  {{ .Name }}\n",
           "# {{ .x }}\na: b\n",
           "a: {b: c}\n",
           "",
       }) {
    INFO(text);
    CHECK_FALSE(has_template_actions(text));
  }
}

TEST_CASE("recognizes a template below a block scalar") {
  CHECK(has_template_actions("a: |\n  {{ text }}\n{{ end }}\n"));
  CHECK(has_template_actions("x:\n  - |\n    {{ text }}\n  - {{ y }}\n"));
}

}  // namespace cnsched::yaml::template_text_test
