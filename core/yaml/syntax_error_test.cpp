#include "core/yaml/syntax_error.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "testdata/support.h"

namespace cnsched::yaml {

namespace {

/// What a user is told about a text: "line:column 'the marked text' message; help".
std::string told(const std::string& text) {
  const test::Parsed parsed(text);
  if (parsed.document.problems.empty()) return "nothing";
  const Problem& problem = parsed.document.problems.front();
  const Position at = parsed.file.position(problem.where.begin);
  return fmt::format("{}:{} [{}] {}; {}", at.line, at.column, parsed.at(problem.where),
                     problem.message, problem.help);
}

}  // namespace

TEST_CASE("a ':' without a blank is found where it stands") {
  CHECK(told("apiVersion:v1\nkind: Pod\n") ==
        "1:11 [:] no blank follows this ':', so it ends no key; write 'apiVersion: v1'");
  CHECK(told("a: b\nkind:Pod\nc: d\n").starts_with("2:5 [:] no blank follows"));
  CHECK(told("spec:\n  replicas:1\n  name: x\n").starts_with("2:11 [:] no blank follows"));
}

TEST_CASE("a second ':' is found where it stands") {
  CHECK(told("key: value: more\n") ==
        "1:11 [:] a second ':' in one line, which a plain value cannot hold; put the value in "
        "quotes, or the second key on a line of its own");
  CHECK(told("spec: containers:\n  - name: a\n").starts_with("1:17 [:] a second ':'"));
  CHECK(told("url: http://x:80/y: z\n").starts_with("1:19 [:] a second ':'"));
}

TEST_CASE("an unclosed quote is found where it opens, not where the next one does") {
  CHECK(told("spec:\n  uri: \"gs://x\n  requests:\n    cpu: \"4\"\n") ==
        "2:8 [\"gs://x] the quote that opens here is not closed on its line: the string ends at "
        "the next quote, on line 4; end the string with \"");
  CHECK(told("a: 'x\nb: y\n") ==
        "1:4 ['x] the quote that opens here is never closed; end the string with '");
}

TEST_CASE("quotes within quotes are to be written as escapes") {
  CHECK(told("a: \"say \"hi\" now\"\n") ==
        "1:10 [hi\" now\"] 'hi\" now\"' is after the closing quote, where the value has ended; "
        "write \\\" for a quote within the string");
  CHECK(told("a: 'it's'\n").ends_with("write '' for a quote within the string"));
  CHECK(told("a: [\"echo \"x\"\"]\n").starts_with("1:12 [x\"\"]]"));
}

TEST_CASE("a tab in the indentation is pointed at") {
  CHECK(told("spec:\n\tname: x\n") ==
        "2:1 [\t] a tab indents this line, and YAML indents with spaces only; "
        "replace the tab by spaces");
  CHECK(told("a:\n  - b\n  \t- c: d\n").starts_with("3:3 [\t] a tab"));
}

TEST_CASE("an indentation between two levels names the nearer one") {
  CHECK(told("args:\n    - a\n   - b\n") ==
        "3:4 [-] indented by 3 spaces, but its neighbours by 4; indent it by 4 spaces");
  CHECK(told("l:\n- name: x\n  image: y\n ports: z\n") ==
        "4:2 [ports] indented by 1 space, but its neighbours by 2; indent it by 2 spaces");
}

TEST_CASE("a key below a value that is complete cannot belong to it") {
  CHECK(told("x:\n  emptyDir: null\n    medium: Memory\n") ==
        "3:5 [medium] 'medium' cannot belong to 'emptyDir', which has a value already; align it "
        "with its siblings, or remove the value of 'emptyDir'");
}

TEST_CASE("items among keys and keys among items are told apart") {
  CHECK(told("weight: 20\n- service: x\n").starts_with("2:1 [-] a list item is among keys"));
  CHECK(told("l:\n  - name: x\n  image: y\n").starts_with("3:3 [image] 'image' is among list"));
  CHECK(told("containers:\n  image: x\n- env: y\n")
            .starts_with("3:1 [-] 'containers' holds keys already, so it cannot hold list items"));
  CHECK(told("a: - b\n").starts_with("1:4 [- b] a list cannot begin on the line of its key"));
}

TEST_CASE("brackets are paired") {
  CHECK(told("a: [b, c\nd: e\n") ==
        "1:4 [[] the '[' that opens here is never closed; add the missing ']'");
  CHECK(told("a: [b, c}\n") == "1:9 [}] '}' cannot close what '[' opened; write ']' first");
  CHECK(told("a: [1, 2]]\n") == "1:10 []] this ']' closes nothing; remove it");
  CHECK(told("a: {b: c d: e}\n").find("a ',' or the closing '}' is missing") != std::string::npos);
}

TEST_CASE("a missing comma in JSON is found in front of the next key") {
  CHECK(told("{\n  \"a\": 1\n  \"b\": 2\n}\n") ==
        "3:3 [\"] a ',' is missing before this; write it after the value above");
  CHECK(told("{\"a\": \"x\" \"b\": 2}\n").starts_with("1:11 [\"] a ',' is missing"));
}

TEST_CASE("a second JSON object needs a separator") {
  CHECK(told("{\"a\": 1}\n{\"b\": 2}\n").ends_with("put a line '---' between the two"));
}

TEST_CASE("placeholders and footnotes are found behind their brackets") {
  CHECK(told("image: {user}/x:v1\n") ==
        "1:8 [{user}/x:v1] a value that begins with '{' ends with its '}', but this one goes on; "
        "put the whole value in quotes");
  CHECK(told("spec: {} <2>\n") ==
        "1:10 [<2>] '<2>' is after the closing bracket, where the value has ended; "
        "remove it, or put a # before it");
}

TEST_CASE("dots that stand for lines left out are pointed at") {
  CHECK(told("metadata:\n  ...\n  annotations:\n    a: b\n") ==
        "2:3 [...] '...' stands for lines that were left out, and is not YAML; write the missing "
        "lines, or put a # before the dots");
  CHECK(told("a: b\n...\nspec: c\n").starts_with("2:1 [...] a line '...' ends the document"));
}

TEST_CASE("lines from elsewhere are recognised") {
  CHECK(told("a: b\n$MORE\nc: d\n") ==
        "2:1 [$MORE] '$MORE' is a placeholder of a shell, and not YAML; lint the manifest that the "
        "shell makes of it");
  CHECK(told("a: b\n${MORE}\nc: d\n").starts_with("2:1 [${MORE}] '${MORE}' is a placeholder"));
  CHECK(told("a: b\n<<<<<<< HEAD\nc: d\n").starts_with("2:1 [<<<<<<< HEAD] a merge conflict"));
  CHECK(told("```yaml\na: b\n```\n").ends_with("remove the Markdown fence"));
  CHECK(told("a: b\n```\n").starts_with("2:1 [```] a Markdown fence"));
  CHECK(told("$ kubectl apply\na: b\n").starts_with("1:1 [$ kubectl apply] this line is neither"));
  CHECK(told("name = x\na: b\n").starts_with("1:6 [=] '=' gives no key its value"));
  CHECK(told("l:\n  -name\n  b: c\n").starts_with("2:3 [-] no blank follows this '-'"));
  CHECK(told("metadata:\n  labels\n    app: x\n").starts_with("2:3 [labels] 'labels' is neither"));
}

TEST_CASE("text that left its block scalar is sent back") {
  CHECK(told("script: |\n    echo a\n  echo b\n") ==
        "3:3 [echo b] indented too little to belong to the text that begins at '|'; "
        "indent it by 4 spaces");
  CHECK(told("script: | echo a\n").starts_with("1:9 [| echo a] '|' begins a text of several"));
}

TEST_CASE("a value cannot begin with a reserved character") {
  CHECK(told("a: @x\n") ==
        "1:4 [@x] a value cannot begin with '@' unless it is quoted; put the value in quotes");
  CHECK(told("a: `x`\n").starts_with("1:4 [`x`] a value cannot begin with '`'"));
  CHECK(told("a: %x\n").starts_with("1:4 [%x] a value cannot begin with '%'"));
}

TEST_CASE("an alias without an anchor is most likely a pattern") {
  CHECK(told("a: *.txt\n") ==
        "1:4 [*.txt] '*.txt' is an alias, but no anchor '&.txt' is above it; put the value in "
        "quotes if it is no alias, or define the anchor");
}

TEST_CASE("an unknown escape is pointed at") {
  CHECK(told("re: \"a\\d+\"\n") ==
        "1:7 [\\d] a backslash begins no escape of YAML here; write \\\\ for a backslash, or put "
        "the string in single quotes");
}

TEST_CASE("a key cannot stand on the line of the separator") {
  CHECK(told("--- a: b\nc: d\n").starts_with("1:5 [a] a key cannot stand on the line of '---'"));
}

TEST_CASE("no message speaks yaml-cpp's language") {
  for (const char* text : {"a: |0\n x\n", "a: &\n", "a: *\n", "a: &x &y z\n", "a: !a !b c\n",
                           "a: !<x\n", "? - a: b: c\n", "a: &x *x\n", "[a\n", "{a\n", "a: ]\n",
                           "- a\n b: c\n", "a: \"\\xZZ\"\n", "a: ? b\n"}) {
    INFO(text);
    const std::string words = told(text);
    CHECK(words != "nothing");
    for (const char* jargon : {"illegal", "not found", "token", "flow", "scanning", "bad file"}) {
      CHECK(words.find(jargon) == std::string::npos);
    }
  }
}

TEST_CASE("what is pointed at lies in the document, not beside it") {
  const std::string text = "\xEF\xBB\xBFa: !!s`tr\n---\nb: c\n";
  const SourceFile file(0, "test.yaml", text);
  for (const Span where : split(file)) {
    for (const Problem& found : parse(file, where).problems) {
      CHECK(found.where.begin >= where.begin);
      CHECK(found.where.end <= where.end);
    }
  }
}

}  // namespace cnsched::yaml
