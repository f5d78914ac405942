#include "core/yaml/syntax_error.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "testdata/support.h"

namespace cnsched::yaml::syntax_error_test {

/// The reported problem of a text: "line:column 'the marked text' message; help".
std::string problem_of(const std::string& text) {
  const Parsed parsed(text);
  if (parsed.document.problems.empty()) return "nothing";
  const Problem& problem = parsed.document.problems.front();
  const Position at = parsed.file.position(problem.where.begin);
  return fmt::format("{}:{} [{}] {}; {}", at.line, at.column, parsed.at(problem.where),
                     problem.message, problem.help);
}

TEST_CASE("locates syntax errors and says how to fix them") {
  check_cases("core/yaml/syntax_error.cases",
              [](std::string_view text) { return problem_of(std::string(text) + "\n"); });
}

TEST_CASE("no message has yaml-cpp's terms") {
  for (const char* text : {"a: |0\n x\n", "a: &\n", "a: *\n", "a: &x &y z\n", "a: !a !b c\n",
                           "a: !<x\n", "? - a: b: c\n", "a: &x *x\n", "[a\n", "{a\n", "a: ]\n",
                           "- a\n b: c\n", "a: \"\\xZZ\"\n", "a: ? b\n"}) {
    INFO(text);
    const std::string words = problem_of(text);
    CHECK(words != "nothing");
    for (const char* jargon : {"illegal", "not found", "token", "flow", "scanning", "bad file"}) {
      CHECK_FALSE(has(words, jargon));
    }
  }
}

TEST_CASE("every position is within the document") {
  const std::string text = "\uFEFFa: !!s`tr\n---\nb: c\n";
  const SourceFile file(0, "test.yaml", text);
  for (const Span where : split(file)) {
    for (const Problem& found : parse(file, where).problems) {
      CHECK(found.where.begin >= where.begin);
      CHECK(found.where.end <= where.end);
    }
  }
}

}  // namespace cnsched::yaml::syntax_error_test
