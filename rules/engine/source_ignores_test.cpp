#include "rules/engine/source_ignores.h"
#include "testdata/support.h"

namespace cnsched::rules::source_ignores_test {

/// The lines that the only suppression applies to: "3-5".
std::string lines_of(const std::string& text) {
  const SourceFile file(0, "x.yaml", text);
  const auto found = ignores_in_source(file);
  if (found.size() != 1) return std::to_string(found.size()) + " suppressions";
  if (!found[0].ignore.problem.empty()) return found[0].ignore.problem;
  const Span lines = found[0].lines;
  if (lines.begin == lines.end) return "none";
  return std::to_string(file.line_of(lines.begin)) + "-" +
         std::to_string(file.line_of(lines.end - 1));
}

constexpr const char* kComment = "# cnsched: ignore=unknown-field -- reason";

TEST_CASE("a comment at the end of a line of a source applies to the line") {
  CHECK(lines_of("a: b\nc: {{ .x }}  " + std::string(kComment) + "\n") == "2-2");
  CHECK(lines_of("a: b\n") == "0 suppressions");
  CHECK(lines_of("a: cnsched # other\n") == "0 suppressions");
}

TEST_CASE("a comment above an entry of a source applies to all of it") {
  const std::string comment = std::string("  ") + kComment + "\n";
  CHECK(lines_of(comment + "a:\n  b: c\n\n  d: e\nf: g\n") == "2-5");
  CHECK(lines_of(comment + "- a: b\n  c: d\n- e\n") == "2-3");
  CHECK(lines_of(comment + "a:\n- b\n- c\nd: e\n") == "2-4");
  CHECK(lines_of(comment + "a: b\nc: d") == "2-2");
  CHECK(lines_of(comment) == "none");
}

TEST_CASE("a comment of a template may suppress findings") {
  CHECK(lines_of("{{- /* # cnsched: ignore=unknown-field -- reason */}}\na: b\n") == "2-2");
  CHECK(lines_of("{{/* cnsched: ignore=unknown-field -- reason */}}\n{{- if .x }}\na: b\n") ==
        "3-3");
  CHECK(lines_of("{{/* cnsched: ignore=unknown-field */}}\na: b\n") ==
        "the reason is missing: add ' -- ' and the reason");
}

TEST_CASE("what looks like a comment in a string suppresses nothing") {
  CHECK(lines_of("a: \"x " + std::string(kComment) + "\"\n") == "0 suppressions");
  CHECK(lines_of("a: ['x " + std::string(kComment) + "']\n") == "0 suppressions");
  CHECK(lines_of("a: \"x\" " + std::string(kComment) + "\n") == "1-1");
  CHECK(lines_of("a: it's " + std::string(kComment) + "\n") == "1-1");
  CHECK(lines_of("a: b\t" + std::string(kComment) + "\n") == "1-1");
}

TEST_CASE("neither comments nor actions nor line ends end an entry") {
  const std::string comment = std::string(kComment) + "\n";
  CHECK(lines_of(comment + "a:\n  b: c\n# other\n  d: e\nf: g\n") == "2-5");
  CHECK(lines_of(comment + "a:\n{{- if .x }}\n  b: c\n{{- end }}\n  d: e\nf: g\n") == "2-6");
  CHECK(lines_of(comment + "a: # list\n- b\n-\n  c: d\nf: g\n") == "2-5");
  CHECK(lines_of(comment + "a: b\n# other\n{{- end }}\n") == "2-2");
  CHECK(lines_of(std::string(kComment) + "\r\na:\r\n- b\r\nc: d\r\n") == "2-3");
}

TEST_CASE("a comment of a template at the end of a line applies to the line") {
  const std::string comment = "{{/* cnsched: ignore=unknown-field -- reason */}}";
  CHECK(lines_of("a: b " + comment + "\nc: d\n") == "1-1");
  CHECK(lines_of("a: {{ .x }} {{- /* cnsched: ignore=unknown-field -- reason */ -}}\nc: d\n") ==
        "1-1");
}

TEST_CASE("ignore-file applies to all of a source") {
  CHECK(lines_of("# cnsched: ignore-file=all -- generated\na: b\nc: d\n") == "1-3");
}

}  // namespace cnsched::rules::source_ignores_test
