#include "templates/template.h"

#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "templates/settings.h"
#include "testdata/support.h"

namespace cnsched::templates::render_test {

constexpr std::string_view kParameters =
    "apiVersion: cnsched/v1\n"
    "kind: Template\n"
    "metadata: {name: t, summary: s}\n"
    "parameters:\n"
    "- {name: s, type: string, description: d}\n"
    "- {name: i, type: integer, description: d}\n"
    "- {name: b, type: boolean, description: d}\n"
    "- {name: k, type: label-key, description: d}\n"
    "- {name: l, type: list, description: d}\n"
    "- {name: m, type: map, description: d}\n"
    "---\n"
    "# All: ${{ s }} stays as it is in a comment.\n"
    "apiVersion: v1\n"
    "kind: Pod\n";

/// The rendered manifest. Another document, not in the result, uses every parameter.
std::string rendered(std::string_view manifest, std::vector<std::string> sets) {
  const std::string text = fmt::format(
      "{}{}---\napiVersion: v1\nkind: All\nx:\n- ${{{{ s }}}}\n- ${{{{ i }}}}\n"
      "- ${{{{ b }}}}\n- ${{{{ k }}}}\n- ${{{{ l }}}}\n- ${{{{ m }}}}\n",
      kParameters, manifest);
  const auto model = Template::read("t.yaml", text);
  if (!model) return "error: " + model.error().message;
  const Settings settings(**model, {.sets = std::move(sets)});
  if (!settings.problems().empty()) return "problem: " + settings.problems().front();
  const auto result = render(**model, settings.values());
  if (!result) return "error: " + result.error().message;
  const std::size_t begin = result->find("kind: Pod\n") + std::string_view("kind: Pod\n").size();
  return result->substr(begin, result->find("---\napiVersion: v1\nkind: All", begin) - begin);
}

const std::vector<std::string> kAll = {"s=x", "i=8", "b=true", "k=a.b/c", "l=1,2", "m=a=1,b=2"};

TEST_CASE("a whole value keeps its type; an ambiguous string is quoted") {
  CHECK(rendered("a: ${{ s }}\n", {"s=true"}) == "a: \"true\"\n");
  CHECK(rendered("a: ${{ s }}\n", {"s=8"}) == "a: \"8\"\n");
  CHECK(rendered("a: ${{ i }}\n", kAll) == "a: 8\n");
  CHECK(rendered("a: ${{ b }}\n", kAll) == "a: true\n");
  CHECK(rendered("a: \"${{ s }}\"\n", kAll) == "a: x\n");
}

TEST_CASE("writes lists and maps in block style below their key") {
  CHECK(rendered("a:\n  b: ${{ l }}\n", kAll) == "a:\n  b:\n  - \"1\"\n  - \"2\"\n");
  CHECK(rendered("a:\n  b: ${{ m }}\n", kAll) == "a:\n  b:\n    a: \"1\"\n    b: \"2\"\n");
  CHECK(rendered("a: ${{ m }}  # why\n", kAll) == "a:  # why\n  a: \"1\"\n  b: \"2\"\n");
  CHECK(rendered("a:\n- ${{ m }}\n- z\n", kAll) == "a:\n- a: \"1\"\n  b: \"2\"\n- z\n");
}

TEST_CASE("inserts a value's text within a string") {
  CHECK(rendered("a: gs://${{ s }}/m\n", kAll) == "a: gs://x/m\n");
  CHECK(rendered("a: ${{ i }}${{ i }}\n", kAll) == "a: \"88\"\n");
  CHECK(rendered("a: '--x=${{ b }}'\n", kAll) == "a: --x=true\n");
  CHECK(rendered("a: |\n  one ${{ s }}\n  two\nb: c\n", kAll) == "a: |\n  one x\n  two\nb: c\n");
  CHECK(rendered("a: $${{ s }} {{.Name}}\n", kAll) == "a: ${{ s }} {{.Name}}\n");
}

TEST_CASE("replaces a placeholder in a key") {
  CHECK(rendered("a:\n  ${{ k }}: 1\n", kAll) == "a:\n  a.b/c: 1\n");
  CHECK(rendered("a:\n  ${{ k }}: ${{ i }}  # why\n", kAll) == "a:\n  a.b/c: 8  # why\n");
}

TEST_CASE("removes entries without a value, their comments and empty parents") {
  CHECK(rendered("a: 1\nb: ${{ s }}\nc: 2\n", {}) == "a: 1\nc: 2\n");
  CHECK(rendered("a: 1\n# why b\n# and more\nb: ${{ s }}  # because\n# why c\nc: 2\n", {}) ==
        "a: 1\n# why c\nc: 2\n");
  CHECK(rendered("a: 1\nb:\n  c:\n    d: ${{ s }}\nc: 2\n", {}) == "a: 1\nc: 2\n");
  CHECK(rendered("a: 1\n# why b\nb:\n  c:\n  # why d\n  - d: ${{ s }}\nc: 2\n", {}) ==
        "a: 1\nc: 2\n");
  CHECK(rendered("a:\n- ${{ s }}-x\n- y\n", {}) == "a:\n- y\n");
  CHECK(rendered("a:\n  ${{ k }}: 1\n  z: 2\n", {}) == "a:\n  z: 2\n");
  CHECK(rendered("a:\n- b: ${{ s }}\n  c: 1\n- d: 2\n", {}) == "a:\n- c: 1\n- d: 2\n");
  CHECK(rendered("a: ${{ l }}\nb: {}\nc: []\n", {"l="}) == "b: {}\nc: []\n");
}

TEST_CASE("no value changes the structure of the manifest") {
  const std::string manifest =
      "metadata:\n  name: ${{ s }}\n  labels:\n    a: x-${{ s }}-y\n"
      "list:\n- ${{ s }}\n- last\ntext: |\n  first ${{ s }}\n  last\nend: 1\n";
  std::vector<std::string> hostile = {"\"",
                                      "'",
                                      "\n",
                                      "a\nkind: B",
                                      "---\na: b",
                                      "\n---\n",
                                      "${{ s }}",
                                      "${{",
                                      "}}",
                                      "&a",
                                      "*a",
                                      "!!int 1",
                                      "# no",
                                      "a # no",
                                      "a: b",
                                      "- a",
                                      "[a, b]",
                                      "{a: b}",
                                      "|",
                                      ">-",
                                      "%TAG",
                                      "? a",
                                      "null",
                                      "~",
                                      "  x  ",
                                      "\t",
                                      "\r\n",
                                      "\x01\x7f",
                                      "\xc2\x85",
                                      "\xe2\x80\xa8",
                                      "\xe2\x80\xae",
                                      "\xef\xbb\xbf",
                                      "...",
                                      "\\",
                                      "<<",
                                      "=",
                                      "1:30",
                                      "0x1f",
                                      "1e3"};
  hostile.emplace_back(10'000, 'x');
  hostile.emplace_back(10'000, '\n');
  hostile.push_back(std::string(5'000, '[') + std::string(5'000, '"'));
  hostile.emplace_back("a\0b", 3);
  for (const std::string& value : hostile) {
    CAPTURE(value.substr(0, 100));
    const std::string text = rendered(manifest, {"s=" + value});
    const Parsed parsed(text);
    REQUIRE(parsed.document.problems.empty());
    const yaml::Node& root = parsed.root();
    REQUIRE(root.entries().size() == 4);
    CHECK(root["metadata"]["name"].text() == value);
    CHECK(root["metadata"]["name"].is_string());
    CHECK(root["metadata"]["labels"].under("a").text() == "x-" + value + "-y");
    REQUIRE(root.under("list").items().size() == 2);
    CHECK(root.under("list").at(0).text() == value);
    CHECK(root.under("text").text() == "first " + value + "\nlast\n");
    CHECK(root.under("end").text() == "1");
  }
}

TEST_CASE("renders only the chosen variant") {
  const auto model = Template::read(
      "t.yaml",
      "apiVersion: cnsched/v1\nkind: Template\nmetadata: {name: t, summary: s}\n"
      "variants: {form: {a: A, b: B}}\nparameters:\n"
      "- {name: form, type: enum, values: [a, b], default: a, description: d}\n"
      "---\n# of A\napiVersion: v1\nkind: A\n---\n# of B\napiVersion: v1\nkind: B\n---\n"
      "apiVersion: v1\nkind: C\n");
  REQUIRE(model);
  const auto of = [&](const std::string& form) {
    const Settings settings(**model, {.sets = {"form=" + form}});
    return *render(**model, settings.values());
  };
  CHECK(of("a") == "# of A\napiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: C\n");
  CHECK(of("b") == "# of B\napiVersion: v1\nkind: B\n---\napiVersion: v1\nkind: C\n");
}

TEST_CASE("rejects two keys that become equal") {
  const std::string twice = "labels:\n  ${{ k }}: a\n  ${{ s }}: b\n";
  CHECK(rendered(twice, {"k=x", "s=z"}) == "labels:\n  x: a\n  z: b\n");
  CHECK(rendered(twice, {"k=x", "s=x"}) ==
        "error: two entries of the Pod in 't' would both be 'x'");
}

}  // namespace cnsched::templates::render_test

namespace cnsched::templates::placeholder_test {

std::string shown(std::string_view text) {
  const auto pieces = pieces_of(text);
  if (!pieces) return "error: " + pieces.error().message;
  std::string result;
  for (const Piece& piece : *pieces) {
    result += piece.is_parameter ? "<" + piece.text + ">" : "[" + piece.text + "]";
  }
  return result;
}

TEST_CASE("splits a string at its placeholders") {
  CHECK(shown("") == "");
  CHECK(shown("llama") == "[llama]");
  CHECK(shown("${{ name }}") == "<name>");
  CHECK(shown("${{name}}") == "<name>");
  CHECK(shown("gs://${{ bucket }}/${{ name }}-x") == "[gs://]<bucket>[/]<name>[-x]");
  CHECK(shown("${{ accelerator.resource }}") == "<accelerator.resource>");
}

TEST_CASE("a doubled dollar sign escapes a placeholder") {
  CHECK(shown("$${{ name }}") == "[${{ name }}]");
  CHECK(shown("a $${{ b ${{ c }}") == "[a ${{ b ]<c>");
  CHECK_FALSE(has_placeholders("$(NAME) {{.Name}} ${NAME}"));
  CHECK(has_placeholders("$${{"));
}

TEST_CASE("rejects a placeholder that is not closed or has no name") {
  CHECK(shown("${{ name") ==
        "error: '${{' is not closed by '}}'; write '$${{' if it is meant literally");
  CHECK(shown("${{ }}") == "error: '${{ }}' names no parameter: write '${{ name }}'");
  CHECK(shown("${{ a b }}") == "error: '${{ a b }}' names no parameter: write '${{ name }}'");
}

}  // namespace cnsched::templates::placeholder_test
