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

TEST_CASE("locates a ':' without a space") {
  CHECK(problem_of("apiVersion:v1\nkind: Pod\n") ==
        "1:11 [:] missing space after ':'; write 'apiVersion: v1'");
  CHECK(problem_of("a: b\nkind:Pod\nc: d\n").starts_with("2:5 [:] missing space"));
  CHECK(problem_of("spec:\n  replicas:1\n  name: x\n").starts_with("2:11 [:] missing space"));
}

TEST_CASE("locates a second ':'") {
  CHECK(problem_of("key: value: more\n") ==
        "1:11 [:] second ':' on this line: an unquoted value cannot contain ': '; quote the value, "
        "or put the second key on its own line");
  CHECK(problem_of("spec: containers:\n  - name: a\n").starts_with("1:17 [:] second ':'"));
  CHECK(problem_of("url: http://x:80/y: z\n").starts_with("1:19 [:] second ':'"));
}

TEST_CASE("locates an unclosed quote at its opening") {
  CHECK(problem_of("spec:\n  uri: \"gs://x\n  requests:\n    cpu: \"4\"\n") ==
        "2:8 [\"gs://x] unclosed quote: the string ends at the next quote, on line 4; add the "
        "closing \"");
  CHECK(problem_of("a: 'x\nb: y\n") == "1:4 ['x] unclosed quote; add the closing '");
}

TEST_CASE("suggests an escape for a quote within quotes") {
  CHECK(problem_of("a: \"say \"hi\" now\"\n") ==
        "1:10 [hi\" now\"] unexpected 'hi\" now\"' after the closing quote; "
        "write \\\" for a quote in the string");
  CHECK(problem_of("a: 'it's'\n").ends_with("write '' for a quote in the string"));
  CHECK(problem_of("a: [\"echo \"x\"\"]\n").starts_with("1:12 [x\"\"]]"));
}

TEST_CASE("locates a tab in the indentation") {
  CHECK(problem_of("spec:\n\tname: x\n") ==
        "2:1 [\t] tab in the indentation: YAML allows only spaces; "
        "replace the tab with spaces");
  CHECK(problem_of("a:\n  - b\n  \t- c: d\n").starts_with("3:3 [\t] tab"));
}

TEST_CASE("suggests the nearer level for an indentation between two") {
  CHECK(problem_of("args:\n    - a\n   - b\n") ==
        "3:4 [-] indented by 3 spaces, but its siblings by 4; indent it by 4 spaces");
  CHECK(problem_of("l:\n- name: x\n  image: y\n ports: z\n") ==
        "4:2 [ports] indented by 1 space, but its siblings by 2; indent it by 2 spaces");
}

TEST_CASE("rejects a key below a complete value") {
  CHECK(problem_of("x:\n  emptyDir: null\n    medium: Memory\n") ==
        "3:5 [medium] 'medium' is indented below 'emptyDir', which already has a value; align it "
        "with its siblings, or remove the value of 'emptyDir'");
}

TEST_CASE("distinguishes items among keys from keys among items") {
  CHECK(
      problem_of("weight: 20\n- service: x\n").starts_with("2:1 [-] list item among mapping keys"));
  CHECK(problem_of("l:\n  - name: x\n  image: y\n")
            .starts_with("3:3 [image] key 'image' among list"));
  CHECK(problem_of("containers:\n  image: x\n- env: y\n")
            .starts_with("3:1 [-] 'containers' already contains keys, so it cannot contain list"));
  CHECK(problem_of("a: - b\n").starts_with("1:4 [- b] a list cannot start on the line of its key"));
}

TEST_CASE("reports unmatched brackets") {
  CHECK(problem_of("a: [b, c\nd: e\n") == "1:4 [[] unclosed '['; add the missing ']'");
  CHECK(problem_of("a: [b, c}\n") == "1:9 [}] '}' does not match '['; write ']' first");
  CHECK(problem_of("a: [1, 2]]\n") == "1:10 []] unmatched ']'; remove it");
  CHECK(has(problem_of("a: {b: c d: e}\n"), "missing ',' or '}' before this"));
}

TEST_CASE("locates a missing comma in JSON before the next key") {
  CHECK(problem_of("{\n  \"a\": 1\n  \"b\": 2\n}\n") ==
        "3:3 [\"] missing ',' before this; add it after the previous value");
  CHECK(problem_of("{\"a\": \"x\" \"b\": 2}\n").starts_with("1:11 [\"] missing ','"));
}

TEST_CASE("a second JSON object needs a separator") {
  CHECK(problem_of("{\"a\": 1}\n{\"b\": 2}\n").ends_with("separate the two with a line '---'"));
}

TEST_CASE("locates text after a closing bracket") {
  CHECK(problem_of("image: {user}/x:v1\n") ==
        "1:8 [{user}/x:v1] a value that starts with '{' ends with '}', but text follows; "
        "quote the whole value");
  CHECK(problem_of("spec: {} <2>\n") ==
        "1:10 [<2>] unexpected '<2>' after the closing bracket; "
        "remove it, or put a # before it");
}

TEST_CASE("locates dots in place of omitted lines") {
  CHECK(problem_of("metadata:\n  ...\n  annotations:\n    a: b\n") ==
        "2:3 [...] '...' in place of omitted lines is not YAML; write the omitted "
        "lines, or put a # before the dots");
  CHECK(
      problem_of("a: b\n...\nspec: c\n").starts_with("2:1 [...] the line '...' ends the document"));
}

TEST_CASE("recognizes shell, merge and Markdown lines") {
  CHECK(problem_of("a: b\n$MORE\nc: d\n") ==
        "2:1 [$MORE] shell placeholder '$MORE' is not substituted; lint the manifest after the "
        "substitution");
  CHECK(
      problem_of("a: b\n${MORE}\nc: d\n").starts_with("2:1 [${MORE}] shell placeholder '${MORE}'"));
  CHECK(problem_of("a: b\n<<<<<<< HEAD\nc: d\n")
            .starts_with("2:1 [<<<<<<< HEAD] unresolved merge conflict"));
  CHECK(problem_of("```yaml\na: b\n```\n").ends_with("remove the Markdown fence"));
  CHECK(problem_of("a: b\n```\n").starts_with("2:1 [```] a Markdown fence"));
  CHECK(problem_of("$ kubectl apply\na: b\n")
            .starts_with("1:1 [$ kubectl apply] this line is neither"));
  CHECK(problem_of("name = x\na: b\n")
            .starts_with("1:6 [=] '=' does not separate a key from its value"));
  CHECK(problem_of("l:\n  -name\n  b: c\n").starts_with("2:3 [-] missing space after '-'"));
  CHECK(problem_of("metadata:\n  labels\n    app: x\n")
            .starts_with("2:3 [labels] 'labels' is neither"));
}

TEST_CASE("locates a line that is not indented enough for its block scalar") {
  CHECK(problem_of("script: |\n    echo a\n  echo b\n") ==
        "3:3 [echo b] not indented enough for the block scalar that starts at '|'; "
        "indent it by 4 spaces");
  CHECK(problem_of("script: | echo a\n").starts_with("1:9 [| echo a] unexpected text after '|'"));
}

TEST_CASE("rejects a value that begins with a reserved character") {
  CHECK(problem_of("a: @x\n") ==
        "1:4 [@x] an unquoted value cannot start with '@'; quote the value");
  CHECK(problem_of("a: `x`\n").starts_with("1:4 [`x`] an unquoted value cannot start with '`'"));
  CHECK(problem_of("a: %x\n").starts_with("1:4 [%x] an unquoted value cannot start with '%'"));
}

TEST_CASE("suggests quotes for an alias without an anchor") {
  CHECK(problem_of("a: *.txt\n") ==
        "1:4 [*.txt] alias '*.txt' has no anchor '&.txt' above it; quote the "
        "value if it is not an alias, or define the anchor");
}

TEST_CASE("locates an unknown escape") {
  CHECK(problem_of("re: \"a\\d+\"\n") ==
        "1:7 [\\d] invalid escape; write \\\\ for a backslash, or put "
        "the string in single quotes");
}

TEST_CASE("rejects a key on the line of the separator") {
  CHECK(problem_of("--- a: b\nc: d\n").starts_with("1:5 [a] a key cannot be on the line of '---'"));
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
