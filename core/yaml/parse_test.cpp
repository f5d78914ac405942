#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "testdata/support.h"

namespace cnsched::yaml::parse_test {

/// The value under `key` of a text's root, as it is written.
std::string written(const std::string& text, std::string_view key = "a") {
  const Parsed parsed(text);
  REQUIRE(parsed.document.problems.empty());
  const Node& node = parsed.root().under(key);
  REQUIRE_FALSE(node.is_missing());
  return std::string(parsed.at(node.span));
}

/// What the value under `key` means.
std::string meaning(const std::string& text, std::string_view key = "a") {
  const Parsed parsed(text);
  REQUIRE(parsed.document.problems.empty());
  return std::string(parsed.root().under(key).text());
}

/// "line:column message" of the one problem of a text.
std::string problem(const std::string& text) {
  const Parsed parsed(text);
  if (parsed.document.problems.empty()) return "none";
  CHECK(parsed.document.problems.size() == 1);
  CHECK(parsed.root().is_missing());
  const Problem& first = parsed.document.problems.front();
  const Position at = parsed.file.position(first.where.begin);
  return fmt::format("{}:{} {}", at.line, at.column, first.message);
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

TEST_CASE("the span of a scalar covers what is written, quotes included") {
  CHECK(written("a: word\n") == "word");
  CHECK(written("a: two words  # comment\n") == "two words");
  CHECK(written("a: x#y\n") == "x#y");
  CHECK(written("a: \"d \\\" q\"  # c\n") == "\"d \\\" q\"");
  CHECK(written("a: 'it''s'\n") == "'it''s'");
  CHECK(written("a: one\n  two\n\n  three\nb: c\n") == "one\n  two\n\n  three");
  CHECK(written("a: \"one\n  two\"\nb: c\n") == "\"one\n  two\"");
  CHECK(written("a:\n  below\nb: c\n") == "below");
}

TEST_CASE("the span of a block scalar is from its header to the end of its last line") {
  CHECK(written("a: |\n  x\n  y\nb: c\n") == "|\n  x\n  y");
  CHECK(written("a: >-\n  x\n\n\nb: c\n") == ">-\n  x");
  CHECK(written("a: |+  # keeps\n  x\n\nb: c\n") == "|+  # keeps\n  x");
  CHECK(written("a: |2\n    x\n  y\nb: c\n") == "|2\n    x\n  y");
  CHECK(written("a: |\n\n    x\n  # a comment, for it is indented less\nb: c\n") == "|\n\n    x");
  CHECK(written("a: |\nb: c\n") == "|");
  CHECK(written("l:\n- |\n x\n- y\n", "l") == "- |\n x\n- y");
}

TEST_CASE("the header of a block scalar keeps, strips or folds line breaks") {
  CHECK(meaning("a: |\n  x\n  y\n\n") == "x\ny\n");
  CHECK(meaning("a: |-\n  x\n\n") == "x");
  CHECK(meaning("a: |+\n  x\n\n") == "x\n\n");
  CHECK(meaning("a: >\n  x\n  y\n\n  z\n") == "x y\nz\n");
  CHECK(meaning("a: |2\n    x\n  y\n") == "  x\ny\n");
  CHECK(meaning("a: |1-\n   x\n") == "  x");
}

TEST_CASE("a collection's span ends with its bracket, or with its last value") {
  CHECK(written("a: [b, [c], {d: e} ]  # x\n") == "[b, [c], {d: e} ]");
  CHECK(written("a: {b: c,\n    d: e, }\nf: g\n") == "{b: c,\n    d: e, }");
  CHECK(written("a: []\nb: {}\n") == "[]");
  CHECK(written("a: []\nb: {}\n", "b") == "{}");
  CHECK(written("a:\n  - b\n  - c: d\n    e: f\n\nz: 1\n") == "- b\n  - c: d\n    e: f");
  CHECK(written("a:\n- b\n- - c\n  - d\nz: 1\n") == "- b\n- - c\n  - d");
  CHECK(written("a: [b: c]\n") == "[b: c]");
}

TEST_CASE("anchors and tags are not part of a value's span") {
  CHECK(written("a: &x value\n") == "value");
  CHECK(written("a: !!str &x 1\n") == "1");
  CHECK(written("a: &x [b]\n") == "[b]");
  CHECK(written("a: &x\n  b: c\n") == "b: c");
  CHECK(written("a: &x\nb: c\n") == "");
  CHECK(written("a: &x |\n  t\n") == "|\n  t");
}

TEST_CASE("a tag without a value does not apply to the next node") {
  CHECK(written("a: !!str\nb: c\n") == "");
  CHECK(meaning("a: !!str\n'b': c\n") == "");
  const Parsed parsed("a: !!str\n\"b\": [!!str, c, &x , {d: !!str, e: f}]\n");
  CHECK(parsed.place(parsed.root().under("a").span) == "1:9-9");
  CHECK(parsed.place(parsed.root().under("b").at(0).span) == "2:12-12");
  CHECK(parsed.place(parsed.root().under("b").at(1).span) == "2:14-15");
  CHECK(parsed.place(parsed.root().under("b").at(3).under("d").span) == "2:31-31");
  CHECK(written("a: !!str\n  \"\"\n") == "\"\"");
}

TEST_CASE("an alias has its own span and its anchor's value") {
  const Parsed parsed("a: &x {k: v}\nb: [*x]\n");
  const Node& alias = parsed.root().under("b").at(0);
  CHECK(parsed.at(alias.span) == "*x");
  CHECK(parsed.place(alias.span) == "2:5-7");
  CHECK(alias.under("k").text() == "v");
  REQUIRE(alias.anchored() != nullptr);
  CHECK(alias.anchored() == &parsed.root().under("a"));
}

TEST_CASE("an empty value is at the end of its colon or dash") {
  const Parsed parsed("a:\nb: # none\nc:\n-\n- x\nd: {e: , f}\n");
  CHECK(parsed.place(parsed.root().under("a").span) == "1:3-3");
  CHECK(parsed.place(parsed.root().under("b").span) == "2:3-3");
  CHECK(parsed.place(parsed.root().under("c").at(0).span) == "4:2-2");
  CHECK(parsed.place(parsed.root().under("d").under("e").span) == "6:7-7");
  CHECK(parsed.root().under("a").is_null());
  CHECK(parsed.root().under("d").under("f").is_null());
}

TEST_CASE("an explicit null has its own span") {
  for (const char* word : {"null", "Null", "NULL", "~"}) {
    INFO(word);
    CHECK(written(fmt::format("a: {}\nb: c\n", word)) == word);
    CHECK(written(fmt::format("a: {{b: {}}}\n", word)) == fmt::format("{{b: {}}}", word));
  }
}

TEST_CASE("does not take the next word for an empty value") {
  const Parsed parsed("a:\n  b:\nnullable: x\nc:\n~x: y\n");
  CHECK(parsed.at(parsed.root().under("a").span) == "b:");
  CHECK(parsed.root()["nullable"].text() == "x");
  CHECK(parsed.place(parsed.root().under("c").span) == "4:3-3");
}

TEST_CASE("a plain scalar has Kubernetes' type, a quoted one is a string") {
  const Parsed parsed("a: true\nb: 'true'\nc: 8\nd: 1.10\ne: on\nf: |\n  8\n");
  CHECK(parsed.root().under("a").type == ScalarType::boolean);
  CHECK(parsed.root().under("b").is_string());
  CHECK(parsed.root().under("b").quoted);
  CHECK(parsed.root().under("c").type == ScalarType::integer);
  CHECK(parsed.root().under("d").type == ScalarType::floating);
  CHECK(parsed.root().under("e").type == ScalarType::boolean);
  CHECK(parsed.root().under("f").is_string());
}

TEST_CASE("an implicit null precedes a key that begins with a colon") {
  const Parsed parsed("? j\n:able: c\n");
  REQUIRE(parsed.document.problems.empty());
  CHECK(parsed.root().under("j").is_null());
  CHECK(parsed.root().under("j").span.end <= 4);
  CHECK(parsed.at(parsed.root().under(":able").key()->span) == ":able");
}

TEST_CASE("an explicit tag sets the type") {
  const Parsed parsed("a: !!str 1\nb: !!int '1'\nc: !!bool \"yes\"\nd: !secret 1\ne: ! 1\n");
  CHECK(parsed.root().under("a").is_string());
  CHECK(parsed.root().under("b").type == ScalarType::integer);
  CHECK(parsed.root().under("c").type == ScalarType::boolean);
  CHECK(parsed.root().under("d").is_string());
  CHECK(parsed.root().under("e").is_string());
  CHECK(parsed.root().under("e").text() == "1");
}

TEST_CASE("lines may end with CRLF") {
  const Parsed parsed("a: b\r\nc:\r\n  - d\r\n  - |\r\n    e\r\n    f\r\ng: h\r\n");
  REQUIRE(parsed.document.problems.empty());
  CHECK(parsed.at(parsed.root().under("a").span) == "b");
  CHECK(parsed.root().under("c").at(1).text() == "e\nf\n");
  CHECK(parsed.at(parsed.root().under("c").at(1).span) == "|\r\n    e\r\n    f");
  CHECK(parsed.place(parsed.root().under("g").span) == "7:4-5");
}

TEST_CASE("columns count code points, and spans bytes") {
  const Parsed parsed("schlüssel: \"größe\" # ü\nb: é\n");
  const Node& value = parsed.root().under("schlüssel");
  CHECK(parsed.place(value.span) == "1:12-19");
  CHECK(parsed.at(value.span) == "\"größe\"");
  CHECK(parsed.place(parsed.root().under("b").span) == "2:4-5");
}

TEST_CASE("accepts tabs as separators but not as indentation") {
  CHECK(meaning("a:\tb\t# c\n") == "b");
  CHECK(meaning("a: {\n\tb: 1 }\nc: d\n", "c") == "d");
  CHECK(problem("a:\n\tb: c\n").starts_with("2:1 tab in the indentation"));
  CHECK(problem("a:\n  -\tb\n") == "2:4 tab in the indentation: YAML allows only spaces");
  CHECK(problem("a: 'x'\n\t\nb: c\n") == "2:1 tab in the indentation: YAML allows only spaces");
}

TEST_CASE("duplicate keys are kept, and the last one counts") {
  const Parsed parsed("a: 1\nb: 2\na: 3\n");
  CHECK(parsed.root().entries().size() == 3);
  CHECK(parsed.root().under("a").text() == "3");
  CHECK(parsed.root().entries()[0].overridden);
  CHECK_FALSE(parsed.root().entries()[2].overridden);
}

TEST_CASE("keys with the same JSON spelling are duplicates") {
  const auto overridden = [](const std::string& text) {
    const Parsed parsed(text);
    return std::ranges::count(parsed.root().entries(), true, &Entry::overridden);
  };
  CHECK(overridden("{n: 1, No: 2}") == 1);
  CHECK(overridden("{n: 1, 'false': 2}") == 1);
  CHECK(overridden("{0x10: 1, 16: 2, '16': 3}") == 2);
  CHECK(overridden("{n: 1, y: 2, 'n': 3, 'no': 4}") == 0);
  const std::string many = "b: , c: , d: , e: , f: , g: , h: , i: , j: , k: , l: , m: , o: ";
  CHECK(overridden("{n: , " + many + ", No: }") == 1);
  CHECK(overridden("{'16': , " + many + ", 0x10: }") == 1);
}

TEST_CASE("duplicate keys are found in large mappings as well") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("k{}: 1\n", i);
  const Parsed parsed(text + "k7: 2\n");
  CHECK(parsed.root().entries()[7].overridden);
  CHECK(parsed.root().under("k7").text() == "2");
  CHECK_FALSE(parsed.root().entries()[8].overridden);
}

TEST_CASE("JSON is read, with tabs, escapes and surrogate pairs") {
  const Parsed parsed("{\n\t\"a\": \"\\ud83d\\ude00 \\u00e9\\n\",\n\t\"b\": [1, null, true]\n}\n");
  REQUIRE(parsed.document.problems.empty());
  CHECK(parsed.root().under("a").text() == "\xF0\x9F\x98\x80 \xC3\xA9\n");
  CHECK(parsed.at(parsed.root().under("a").span) == "\"\\ud83d\\ude00 \\u00e9\\n\"");
  CHECK(parsed.root().under("b").at(1).is_null());
}

TEST_CASE("a backslash begins an escape only in double quotes") {
  const std::string plain = R"(a\ud83d\ude00)";
  CHECK(meaning("{\"a\": " + plain + ", b: c}\n") == plain);
  CHECK(written("{\"a\": " + plain + ", b: c}\n") == plain);
  CHECK(meaning("{\"a\": '" + plain + "'}\n") == plain);
}

TEST_CASE("decodes every escape as the API server does") {
  const std::string text = R"(a: "\0\a\b\t\n\v\f\r\e\ \"\/\\\N\_\L\P\x41\xe9\u00e9\U0001F600")";
  const std::string meant =
      std::string(1, '\0') + "\a\b\t\n\v\f\r\x1B \"/\\\u0085\u00a0\u2028\u2029Aéé😀";
  CHECK(meaning(text + "\n") == meant);
}

TEST_CASE("rejects half a surrogate pair, and in YAML a whole one") {
  CHECK(problem("{\"a\": \"\\ud83d\"}\n") == "1:8 this escape is not a Unicode character");
  CHECK(problem("a: \"\\ud83d\\ude00\"\n") == "1:5 this escape is not a Unicode character");
  CHECK(meaning("a: \"\\U0001F600\"\n") == "\xF0\x9F\x98\x80");
}

// Some of these texts yaml-cpp 0.7 reads wrongly.
TEST_CASE("rejects texts that are not YAML, with their positions") {
  check_cases("core/yaml/parse.cases",
              [](std::string_view text) { return problem(fmt::format("{}\n", text)); });
}

TEST_CASE("rejects byte 4, yaml-cpp's end of input") {
  CHECK(problem("a: b\x04\nc: d\n") == "1:5 control character \\x04 is not allowed in YAML");
  CHECK(problem(std::string("a: b\0c\n", 7)).starts_with("1:5 control character"));
}

TEST_CASE("rejects a carriage return without a line feed") {
  CHECK(problem("a: b\rc: d\n").starts_with("1:5 carriage return without"));
}

TEST_CASE("reads a tag at the beginning of a document") {
  CHECK(meaning("!thing\na: b\n") == "b");
  CHECK(meaning("--- !thing\na: b\n") == "b");
}

TEST_CASE("reports a tagged block scalar in a list, which yaml-cpp cannot read") {
  CHECK(problem("- !!str |\n x\n")
            .starts_with("1:1 cnsched cannot read a tag before a block scalar"));
  CHECK(meaning("a: !!str |\n  x\n") == "x\n");
}

TEST_CASE("a name in double braces marks the document as a template") {
  const Parsed parsed("a: {{ .Values.name }}\n");
  CHECK(parsed.document.templated);
  CHECK(parsed.document.problems.empty());
}

TEST_CASE("rejects aliases that expand to millions of values, accepts many small ones") {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'i'; ++c) {
    const std::string use = fmt::format("*{}, ", static_cast<char>(c - 1));
    bomb += fmt::format("{}: &{} [{}]\n", c, c, repeated(use, 10));
  }
  CHECK(problem(bomb) == "1:1 its aliases expand to more than 1000000 values");
  CHECK(problem("a: &a [x]\nb:\n" + repeated("- *a\n", 10'000)) == "none");
}

TEST_CASE("rejects deep nesting of any kind") {
  CHECK(problem("a: " + repeated("[", 400) + repeated("]", 400) + "\n") == "none");
  CHECK(has(problem("a: " + repeated("[", 100'000)), "nested too deeply"));
  CHECK(has(problem(repeated("- ", 100'000) + "x\n"), "nested too deeply"));
  std::string keys;
  for (std::size_t i = 0; i < 600; ++i) keys += repeated(" ", i) + "a:\n";
  CHECK(has(problem(keys), "nested too deeply"));
}

TEST_CASE("limits the depth of expanded aliases") {
  // Each anchor contains an alias of the previous one, one level deeper.
  const auto chain = [](std::size_t links) {
    std::string text = "a0: &a0 [x]\n";
    for (std::size_t i = 1; i < links; ++i) {
      text += fmt::format("a{}: &a{} [*a{}]\n", i, i, i - 1);
    }
    return text;
  };
  CHECK(problem(chain(kDepthLimit - 1)) == "none");
  CHECK(problem(chain(kDepthLimit)) ==
        "500:14 this alias nests the document too deeply: 500 levels are the limit");
  CHECK(problem("a: " + repeated("[", kDepthLimit - 3) + repeated("]", kDepthLimit - 3) + "\n") ==
        "none");
}

TEST_CASE("finds the template of a document that Helm rendered") {
  CHECK(Parsed("---\n# Source: chart/templates/x.yaml\na: b\n").document.rendered_from ==
        "chart/templates/x.yaml");
  CHECK(Parsed("a: b\n# Source: no\n").document.rendered_from.empty());
}

TEST_CASE("a document of only an anchor or a tag is empty after it") {
  const Parsed parsed("--- &x\n");
  CHECK(parsed.root().is_null());
  CHECK(parsed.place(parsed.root().span) == "1:7-7");
  const Parsed tagged("--- !!str\n");
  CHECK(tagged.place(tagged.root().span) == "1:10-10");
}

TEST_CASE("an empty document has a null root") {
  CHECK(Parsed("# nothing\n").root().is_missing());
  CHECK(Parsed("---\n").document.problems.empty());
}

TEST_CASE("parses JSON in a string like any document") {
  const Embedded json(R"({"resource": {"cpuLimit": "1"}, "types": ["a", "b"]})");
  CHECK(json.root()["resource"].under("cpuLimit").text() == "1");
  CHECK(json.root().under("types").at(1).text() == "b");
}

TEST_CASE("a string without a document gives a missing node") {
  CHECK(Embedded("{").root().is_missing());
}

}  // namespace cnsched::yaml::parse_test
