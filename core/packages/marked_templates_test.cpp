#include "core/packages/marked_templates.h"
#include "testdata/support.h"

namespace cnsched::marked_templates_test {

/// The template with its marks: " #⟦0⟧" at the end of the first line that prints something.
std::string marked(const std::string& text, const std::string& helpers = "") {
  const std::vector<PackageSource> sources = {{"c/templates/x.yaml", text},
                                              {"c/templates/_helpers.tpl", helpers}};
  return mark_templates(sources).texts.at(0);
}

std::string marked_helpers(const std::string& text, const std::string& helpers) {
  const std::vector<PackageSource> sources = {{"c/templates/x.yaml", text},
                                              {"c/templates/_helpers.tpl", helpers}};
  return mark_templates(sources).texts.at(1);
}

TEST_CASE("each line that prints something is marked at its end") {
  CHECK(marked("a: b\nc:\r\n  d: e") == "a: b #⟦0⟧\nc: #⟦1⟧\r\n  d: e #⟦2⟧");
  CHECK(marked("---\na: {{ .x }}\n\n") == "---\na: {{ .x }} #⟦0⟧\n\n");
  CHECK(marked("{{ $x := 1 }}\n{{ if $x }}\na: b\n{{ end }}\n") ==
        "{{ $x := 1 }}\n{{ if $x }}\na: b #⟦0⟧\n{{ end }}\n");
}

TEST_CASE("a mark is before the blanks that an action trims") {
  CHECK(marked("a: b\n{{- if .x }}\nc: d\n{{- end }}\n") ==
        "a: b #⟦0⟧\n{{- if .x }}\nc: d #⟦1⟧\n{{- end }}\n");
  CHECK(marked("a:\n  {{- toYaml .x | nindent 2 }}\n") ==
        "a: #⟦0⟧\n  {{- toYaml .x | nindent 2 }} #⟦1⟧\n");
  CHECK(marked("a: {{- toYaml .x | nindent 2 }}\n") ==
        "a: #⟦0⟧ {{- toYaml .x | nindent 2 }} #⟦1⟧\n");
}

TEST_CASE("a comment must not hide the rest of a line") {
  CHECK(marked("a: [\n{{- range .x -}}\n{{ . }},\n{{- end -}}\n]\n") ==
        "a: [\n{{- range .x -}}\n{{ . }},\n{{- end -}}\n] #⟦0⟧\n");
  CHECK(marked("a: b\n{{- .x }}\n") == "a: b\n{{- .x }} #⟦0⟧\n");
}

TEST_CASE("a comment must not end a plain scalar of several lines") {
  CHECK(marked("a:\n- run --x\n  --y z\n- b\nc: d\n") ==
        "a: #⟦0⟧\n- run --x\n  --y z #⟦1⟧\n- b #⟦2⟧\nc: d #⟦3⟧\n");
}

TEST_CASE("a definition is marked if its text is only printed") {
  const std::string helper = "{{ define \"h\" }}\na: b\nc: d\n{{- end }}";
  const std::string with_marks = "{{ define \"h\" }}\na: b #⟦1⟧\nc: d #⟦2⟧\n{{- end }}";
  CHECK(marked_helpers("{{ include \"h\" . | nindent 2 }}\n", helper) == with_marks);
  CHECK(marked_helpers("{{ template \"h\" . }}\n", helper) == with_marks);
  for (const std::string_view use :
       {"{{ if eq (include \"h\" .) \"x\" }}y{{ end }}", "{{ $x := include \"h\" . }}",
        "{{ include \"h\" . | sha256sum }}", "{{ include \"h\" . | fromYaml | toYaml }}",
        "{{ include .Values.name . | fromYaml }}"}) {
    CAPTURE(use);
    CHECK(marked_helpers(std::string(use), helper) == helper);
  }
  // A definition that a compared one includes is compared too.
  const std::string two = helper + "{{ define \"g\" }}{{ include \"h\" . }}{{ end }}";
  CHECK(marked_helpers("{{ if include \"g\" . }}y{{ end }}", two) == two);
}

TEST_CASE("only templates of manifests are marked") {
  const std::vector<PackageSource> sources = {{"c/templates/NOTES.txt", "a\n"},
                                              {"c/values.yaml", "a: b\n"},
                                              {"c/templates/broken.yaml", "{{ end }}\na: b\n"}};
  CHECK(mark_templates(sources).texts.empty());
}

TEST_CASE("marks are read back from what is rendered") {
  const std::vector<PackageSource> sources = {{"c/templates/x.yaml", "a: b\nc: d\n"}};
  const MarkedTemplates templates = mark_templates(sources);
  const MarkedText read = read_marked("# Source: x\na: b #⟦0⟧\nc: d #⟦1⟧\n", templates);
  CHECK(read.text == "# Source: x\na: b\nc: d\n");
  REQUIRE(read.marks.size() == 2);
  CHECK(read.marks[1].mark == 1);
  CHECK(read.marks[1].at == 21);
  // What is no mark of these templates stays text.
  for (const std::string_view text :
       {"a #⟦2⟧", "a #⟦", "a #⟦x⟧", "a #⟦1", "a #⟦99999999999999999999⟧"}) {
    CHECK(read_marked(text, templates).text == text);
  }
}

TEST_CASE("the sign of marks is in no source") {
  const std::vector<PackageSource> sources = {{"c/templates/x.yaml", "a: ⟦b\n"}};
  const MarkedTemplates templates = mark_templates(sources);
  CHECK(templates.texts.at(0) == "a: ⟦b #⟦⟦0⟧\n");
  CHECK(read_marked(templates.texts.at(0), templates).text == "a: ⟦b\n");
}

}  // namespace cnsched::marked_templates_test
