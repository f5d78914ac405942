#include "core/packages/chart_origins.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "testdata/support.h"

namespace cnsched::chart_origins_test {

/// A chart "c", and what Helm renders from it. In the rendered text "@7" stands for the mark of
/// line 7 of the template x.yaml, "@7+" for the second mark of that line, and "@h7" for that of a
/// line of _helpers.tpl.
class ChartExample {
 public:
  ChartExample(std::string text, std::string values, std::string rendered, std::string helpers = "",
               std::vector<std::string> sets = {})
      : sources_{{"c/templates/x.yaml", std::move(text)},
                 {"c/templates/_helpers.tpl", std::move(helpers)},
                 {"c/values.yaml", std::move(values)}},
        templates_(mark_templates(sources_)),
        values_("c", sources_, {}, sets),
        marked_(with_marks("---\n# Source: c/templates/x.yaml\n" + rendered)),
        file_(0, "c/<rendered>", read_marked(marked_, templates_).text),
        origins_(sources_, templates_, values_, file_, marked_) {}

  /// "FILE:LINE:COLUMN" of the first place of `text` in what is rendered; the file alone if the
  /// place is not known.
  std::string of(std::string_view text, Aspect aspect = Aspect::value) const {
    return at_byte(first(text), text.size(), aspect);
  }
  std::string of_last(std::string_view text) const {
    const std::size_t at = file_.bytes().rfind(text);
    REQUIRE(at != std::string_view::npos);
    return at_byte(static_cast<std::uint32_t>(at), text.size(), Aspect::value);
  }
  Origin origin(std::string_view text) const {
    return find(first(text), text.size(), Aspect::value);
  }

 private:
  /// After Helm's comment.
  std::uint32_t first(std::string_view text) const {
    const std::size_t at = file_.bytes().find(text, file_.line_start(3));
    REQUIRE(at != std::string_view::npos);
    return static_cast<std::uint32_t>(at);
  }

  std::string with_marks(const std::string& text) const {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '@') {
        result += text[i];
        continue;
      }
      const bool is_helper = text[i + 1] == 'h';
      std::size_t digits = 0;
      const std::size_t line = std::stoul(text.substr(i + (is_helper ? 2 : 1)), &digits);
      i += digits + (is_helper ? 1 : 0);
      const bool is_second = i + 1 < text.size() && text[i + 1] == '+';
      if (is_second) ++i;
      result += mark_of(is_helper ? 1 : 0, line, is_second);
    }
    return result;
  }

  std::string mark_of(std::size_t source, std::size_t line, bool is_second) const {
    std::size_t skipped = is_second ? 1 : 0;
    const SourceFile file(0, "", sources_[source].bytes);
    for (std::size_t i = 0; i < templates_.marks.size(); ++i) {
      const TemplateMark& mark = templates_.marks[i];
      if (mark.source == source && file.line_of(mark.at) == line && skipped-- == 0) {
        return fmt::format("{}{}⟧", templates_.sign, i);
      }
    }
    FAIL("no mark at line " << line);
    return {};
  }

  Origin find(std::uint32_t at, std::size_t size, Aspect aspect) const {
    const Span where{0, at, at + static_cast<std::uint32_t>(size)};
    for (const Span span : yaml::split(file_)) {
      if (at < span.begin || at >= span.end) continue;
      return origins_.of(yaml::parse(file_, span), where, aspect);
    }
    return {};
  }

  std::string at_byte(std::uint32_t at, std::size_t size, Aspect aspect) const {
    const Origin origin = find(at, size, aspect);
    if (origin.place.path.empty()) return origin.file;
    for (const PackageSource& source : sources_) {
      if (source.path != origin.place.path) continue;
      const Position place = SourceFile(0, "", source.bytes).position(origin.place.begin);
      return fmt::format("{}:{}:{}", source.path.substr(2), place.line, place.column);
    }
    return "unknown source";
  }

  std::vector<PackageSource> sources_;
  MarkedTemplates templates_;
  ChartValues values_;
  std::string marked_;
  SourceFile file_;
  ChartOrigins origins_;
};

TEST_CASE("literal text is found at its line and column") {
  const ChartExample chart("a: b\nc:\n  d: e\n", "", "a: b@1\nc:@2\n  d: e@3\n");
  CHECK(chart.of("e") == "templates/x.yaml:3:6");
  CHECK(chart.of("d") == "templates/x.yaml:3:3");
  CHECK(chart.origin("d").is_literal);
}

TEST_CASE("a value is found in the values file, with the line that prints it") {
  const ChartExample chart("a: {{ .Values.x.y | quote }}\n", "x:\n  y: 5\n", "a: \"5\"@1\n");
  CHECK(chart.of("\"5\"") == "values.yaml:2:6");
  const Origin origin = chart.origin("\"5\"");
  CHECK_FALSE(origin.is_literal);
  REQUIRE(origin.notes.size() == 1);
  CHECK(origin.notes[0].place.path == "c/templates/x.yaml");
  CHECK(chart.of("\"5\"", Aspect::type) == "templates/x.yaml:1:4");
}

TEST_CASE("a value that is not printed as it is written is the template's") {
  const ChartExample chart("a: {{ printf \"%d GB\" .Values.x }}\nb: x-{{ .Values.x }}\n", "x: 5\n",
                           "a: 5 GB@1\nb: x-5@2\n");
  CHECK(chart.of("5 GB") == "templates/x.yaml:1:4");
  CHECK(chart.of("x-5") == "templates/x.yaml:2:4");
  const ChartExample set("a: {{ .Values.x }}\n", "x: 5\n", "a: 6@1\n", "", {"x=6"});
  CHECK(set.of("6") == "templates/x.yaml:1:4");
}

TEST_CASE("toYaml prints a part of the values") {
  const ChartExample chart(
      "a:\n  k: v\n  {{- toYaml .Values.x | nindent 2 }}\nb: {{- .Values.l | toYaml | nindent 2 "
      "}}\n",
      "x:\n  w: {z: 1}\nl:\n- p\n- q\n",
      "a:@1\n  k: v@2\n  w:\n    z: 1@3\nb:@4\n  - p\n  - q@4+\n");
  CHECK(chart.of("1") == "values.yaml:2:10");
  CHECK(chart.of("q") == "values.yaml:5:3");
  CHECK(chart.of("k: v") == "templates/x.yaml:2:3");
}

TEST_CASE("each run of a loop prints its own item") {
  const std::string text =
      "{{- range .Values.l }}\n- name: {{ .n }}\n  size: {{ .s }}\n{{- end }}\n";
  const ChartExample chart(text, "l:\n- {n: a, s: 1}\n- {n: b, s: 1}\n",
                           "\n- name: a@2\n  size: 1@3\n- name: b@2\n  size: 1@3\n");
  CHECK(chart.of("1") == "values.yaml:2:13");
  CHECK(chart.of_last("1") == "values.yaml:3:13");
  CHECK(chart.of("b") == "values.yaml:3:7");
}

TEST_CASE("the value of a key is found by its sorted place") {
  const ChartExample chart("{{- range $k, $v := .Values.m }}\n{{ $k }}: {{ $v }}\n{{- end }}\n",
                           "m:\n  z: 1\n  a: 1\n", "\na: 1@2\nz: 1@2\n");
  CHECK(chart.of("1") == "values.yaml:3:6");
  CHECK(chart.of("z") == "values.yaml:2:3");
}

TEST_CASE("an included definition is found, and what it is called with") {
  const std::string helpers =
      "{{ define \"h\" }}\nk: {{ .x }}\nl: m\n{{- end }}\n{{ define \"one\" }}literal{{ end }}\n";
  const ChartExample chart(
      "a: {{- include \"h\" .Values.p | nindent 2 }}\nb: {{ include \"one\" . }}\n", "p:\n  x: 7\n",
      "a:@1\n  k: 7@h2\n  l: m@h3@1+\nb: literal@2\n", helpers);
  CHECK(chart.of("m") == "templates/_helpers.tpl:3:4");
  CHECK(chart.of("7") == "values.yaml:2:6");
  CHECK(chart.of("literal") == "templates/_helpers.tpl:5:19");
}

TEST_CASE("a literal of an expression is found") {
  const ChartExample chart(
      "a: {{ .Values.x | default \"left\" }}\n{{- $d := dict \"k\" \"right\" }}\nb: {{ $d.k }}\n",
      "", "a: left@1\nb: right@3\n");
  CHECK(chart.of("left") == "templates/x.yaml:1:27");
  CHECK(chart.of("right") == "templates/x.yaml:2:20");
}

TEST_CASE(
    "a part of a list or mapping that is not printed as it is written is not the template's") {
  // YAML 1.1 reads the key as a boolean.
  const ChartExample chart("a:\n  {{- toYaml .Values.x | nindent 2 }}\n", "x: {y: {z: 1}}\n",
                           "a:@1\n  \"true\":\n    z: 1@2\n");
  CHECK(chart.of("1") == "c/templates/x.yaml");
}

TEST_CASE("of the values of coalesce the first one that is not empty is printed") {
  const ChartExample chart("a: {{ coalesce .Values.x .Values.y }}\n", "x: 1\ny: 1\n", "a: 1@1\n");
  CHECK(chart.of("1") == "values.yaml:1:4");
}

TEST_CASE("only the template is known of what cannot be determined") {
  // Two values are equal, and nothing shows which one is printed.
  const ChartExample two("a: {{ max .Values.x .Values.y }}\n", "x: 1\ny: 1\n", "a: 1@1\n");
  CHECK(two.of("1") == "c/templates/x.yaml");
  const ChartExample file("a: {{ .Files.Get \"f\" }}\n", "", "a: 1@1\n");
  CHECK(file.of("1") == "c/templates/x.yaml");
  const ChartExample computed("a: {{ include .Values.n . }}\n", "n: h\n", "a: 1@1\n");
  CHECK(computed.of("1") == "c/templates/x.yaml");
}

TEST_CASE("of a choice the value that is taken is found") {
  const ChartExample other("a: {{ .Values.x | default .Values.y }}\n", "x: ''\ny: 1\n", "a: 1@1\n");
  CHECK(other.of("1") == "values.yaml:2:4");
  const ChartExample third("a: {{ ternary \"p\" .Values.y .Values.x }}\n", "x: false\ny: p\n",
                           "a: p@1\n");
  CHECK(third.of("p") == "values.yaml:2:4");
}

TEST_CASE("a value has no place if another text may be equal to it") {
  const std::string only_file = "c/templates/x.yaml";
  // What is computed is printed.
  const ChartExample release("a: {{ .Release.Name | default .Values.x }}\n", "x: c\n", "a: c@1\n");
  CHECK(release.of_last("c\n") == only_file);
  const ChartExample text("a: {{ printf \"%s%s\" .Values.x .Values.y | default \"pq\" }}\n",
                          "x: p\ny: q\n", "a: pq@1\n");
  CHECK(text.of("pq") == only_file);
  const ChartExample some("a: {{ or (gt (len .Values.l) 0) .Values.x }}\n", "l: [1]\nx: true\n",
                          "a: true@1\n");
  CHECK(some.of("true") == only_file);
  const ChartExample part("a: {{ first .Values.l | default \"p\" }}\n", "l: [p, q]\n", "a: p@1\n");
  CHECK(part.of("p") == only_file);
  const ChartExample dig("a: {{ dig \"k\" \"p\" .Values.x }}\n", "x: {k: p}\n", "a: p@1\n");
  CHECK(dig.of("p") == only_file);
  const ChartExample set(
      "{{- $d := dict \"k\" \"p\" }}\n{{- $_ := set $d \"k\" .Values.x }}\na: {{ $d.k }}\n",
      "x: p\n", "\na: p@3\n");
  CHECK(set.of("p") == only_file);
  const ChartExample variable(
      "{{- $x := \"pq\" }}\n{{- if .Values.f }}\n{{- $x = printf \"%s%s\" \"p\" \"q\" }}\n{{- end "
      "}}\na: {{ $x "
      "}}\n",
      "f: true\n", "\na: pq@5\n");
  CHECK(variable.of("pq") == only_file);
}

TEST_CASE("a branch of a definition is not what another branch composes") {
  const std::string helpers =
      "{{ define \"h\" }}{{ if .Values.f }}p-q{{ else }}{{ .Values.x }}-{{ .Values.y }}{{ end }}{{ "
      "end "
      "}}\n";
  const std::string text = "a: {{ include \"h\" . }}\n";
  const ChartExample composed(text, "f: false\nx: p\ny: q\n", "a: p-q@1\n", helpers);
  CHECK(composed.of("p-q") == "c/templates/x.yaml");
  const ChartExample literal(text, "f: true\nx: p\ny: q\n", "a: p-q@1\n", helpers);
  CHECK(literal.of("p-q") == "templates/_helpers.tpl:1:35");
}

TEST_CASE("the caller of a definition is certain, or its values have no place") {
  const std::string helpers = "{{ define \"h\" }}\nk: {{ .x }}\nl: m\n{{- end }}\n";
  const std::string values = "p: {x: 7}\nq: {x: 7}\n";
  // The first call is in a block: the next line that includes the definition is another one.
  const ChartExample block(
      "a: {{ if .Values.p }}{{ include \"h\" .Values.p | nindent 2 }}{{ end }}\n"
      "b: {{- include \"h\" .Values.q | nindent 2 }}\n",
      values, "a:\n  k: 7@h2\n  l: m@h3@1\nb:@2\n  k: 7@h2\n  l: m@h3\n", helpers);
  CHECK(block.of("7") == "c/templates/x.yaml");
  const ChartExample twice("a:\n{{ include \"h\" .Values.p }}{{ include \"h\" .Values.q }}\n",
                           values, "a:@1\n\nk: 7@h2\nl: m@h3\nk: 7@h2\nl: m@h3@2\n", helpers);
  CHECK(twice.of("7") == "c/templates/x.yaml");
  const ChartExample itself("a: {{- include \"r\" .Values.p | nindent 2 }}\n",
                            "p: {x: 7, p: {x: 7}}\n", "a:@1\n  k: 7@h2\n  s:@h4\n    k: 7@h2\n",
                            "{{ define \"r\" }}\nk: {{ .x }}\n{{- if .p }}\ns: {{- include \"r\" "
                            ".p | nindent 2 }}\n{{- end }}\n{{- end }}\n");
  CHECK(itself.of("7") == "c/templates/x.yaml");
}

TEST_CASE("the run of a loop is certain, or its items are compared") {
  const std::string values = "l:\n- {n: 1, off: true}\n- {n: 1}\n";
  const ChartExample jump(
      "{{- range .Values.l }}\n{{- if .off }}{{ continue }}{{ end }}\n- n: {{ .n }}\n{{- end }}\n",
      values, "\n- n: 1@3\n");
  CHECK(jump.of("1") == "c/templates/x.yaml");
  // Nothing is printed between two executions of the inner loop.
  const ChartExample nested(
      "{{- range .Values.l }}\n{{- range .i }}\n- {{ . }}\n{{- end }}\n{{- end }}\n",
      "l:\n- i: [1, 2]\n- i: [1, 3, 9, 3]\n", "\n- 1@3\n- 2@3\n- 1@3\n- 3@3\n- 9@3\n- 3@3\n");
  CHECK(nested.of("3") == "c/templates/x.yaml");
  CHECK(nested.of("9") == "values.yaml:3:13");
}

TEST_CASE("a line whose end has no mark is not the next line's") {
  const ChartExample chart(
      "a: {{ .Values.x }}{{ if .Values.f }}\nb: c\n{{ end }}\n{{ toYaml .Values.m }}\n",
      "x: 1\nf: false\nm: {d: 2}\n", "a: 1\nd: 2@4\n");
  CHECK(chart.of("1") == "c/templates/x.yaml");
  CHECK(chart.of("2") == "values.yaml:3:8");
}

TEST_CASE("only what tpl prints may be the text of a template in a value") {
  const std::string values = "x: '{{ .Values.y }}'\ny: 1\n";
  const ChartExample tpl("a: {{ tpl .Values.x . }}\n", values, "a: 1@1\n");
  CHECK(tpl.of("1") == "values.yaml:1:4");
  const ChartExample other("a: {{ ternary .Values.x .Release.Revision .Values.z }}\n", values,
                           "a: 1@1\n");
  CHECK(other.of("1") != "values.yaml:1:4");
}

TEST_CASE("the dot of an else with is not that of the block around") {
  const ChartExample chart(
      "{{- with .Values.o }}\n{{- with .a }}\na: {{ .x }}\n{{- else with .b }}\na: {{ .x }}\n{{- "
      "end }}\n{{- "
      "end }}\n",
      "o: {x: 1, b: {x: 1}}\n", "\na: 1@5\n");
  CHECK(chart.of("1") == "c/templates/x.yaml");
}

TEST_CASE("the items of lists that are joined have no place") {
  const ChartExample chart("a:\n  {{- concat .Values.p .Values.q | toYaml | nindent 2 }}\n",
                           "p: [1, 2]\nq: [x, y, x]\n",
                           "a:@1\n  - 1\n  - 2\n  - x\n  - y\n  - x\n");
  CHECK(chart.of("x") == "c/templates/x.yaml");
}

TEST_CASE("lines that the marks change are not used") {
  const std::vector<PackageSource> sources = {
      {"c/templates/x.yaml", "a: {{ randAlpha 3 }}\nb: c\n"}};
  const MarkedTemplates templates = mark_templates(sources);
  const ChartValues values("c", sources, {}, {});
  const SourceFile file(0, "c/<rendered>", "---\n# Source: c/templates/x.yaml\na: xyz\nb: c\n");
  const std::string marked = "---\n# Source: c/templates/x.yaml\na: pqrs #⟦0⟧\nb: c #⟦1⟧\n";
  const ChartOrigins origins(sources, templates, values, file, marked);
  const Span document = yaml::split(file).back();
  const auto at = [&](std::string_view text) {
    const auto begin = static_cast<std::uint32_t>(file.bytes().find(text));
    return origins.of(yaml::parse(file, document), {0, begin, begin + 1}, Aspect::value);
  };
  CHECK(at("xyz").place.path.empty());
  CHECK(at("xyz").file == "c/templates/x.yaml");
  CHECK(at("c\n").place.begin == 24);
  // Another number of lines: nothing is known.
  const ChartOrigins other(sources, templates, values, file, marked + "more\n");
  CHECK(other.of(yaml::parse(file, document), {0, 35, 36}, Aspect::value).place.path.empty());
}

TEST_CASE("a comment that names another template is not believed") {
  const std::vector<PackageSource> sources = {{"c/templates/x.yaml", "a: b\n"},
                                              {"c/templates/y.yaml", "a: b\n"}};
  const MarkedTemplates templates = mark_templates(sources);
  const ChartValues values("c", sources, {}, {});
  const SourceFile file(0, "c/<rendered>", "---\n# Source: c/templates/y.yaml\na: b\n");
  const std::string marked = "---\n# Source: c/templates/y.yaml\na: b #⟦0⟧\n";
  const ChartOrigins origins(sources, templates, values, file, marked);
  const auto begin = static_cast<std::uint32_t>(file.bytes().find("b\n"));
  const Origin origin =
      origins.of(yaml::parse(file, yaml::split(file).back()), {0, begin, begin + 1}, Aspect::value);
  CHECK(origin.place.path.empty());
}

}  // namespace cnsched::chart_origins_test
