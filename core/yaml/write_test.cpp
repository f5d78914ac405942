#include "core/yaml/write.h"

#include <nlohmann/json.hpp>

#include "testdata/support.h"

namespace cnsched::yaml::write_test {

std::string as_yaml(const std::string& text) { return to_yaml(Parsed(text).root()); }
std::string as_json(const std::string& text) { return to_json(Parsed(text).root()); }

TEST_CASE("writes kubectl's block style") {
  CHECK(as_yaml("{a: {b: [1, {c: d, e: [f]}, [g, h], [], {}]}, i: {}, j: null}") ==
        "a:\n"
        "  b:\n"
        "  - 1\n"
        "  - c: d\n"
        "    e:\n"
        "    - f\n"
        "  -\n"
        "    - g\n"
        "    - h\n"
        "  - []\n"
        "  - {}\n"
        "i: {}\n"
        "j: null\n");
  CHECK(as_yaml("{}") == "{}\n");
}

TEST_CASE("writes scalars with the type that Kubernetes reads") {
  CHECK(
      as_yaml("{a: yes, b: 'yes', c: 010, d: \"010\", e: 0x1F, f: 1_000, g: ~, h: 1e3, i: off}") ==
      "a: true\nb: \"yes\"\nc: 8\nd: \"010\"\ne: 31\nf: 1000\ng: null\nh: 1000\ni: false\n");
  CHECK(as_yaml("{a: 0.50, b: 1e30, c: .inf, d: 1e999, e: +1, f: -0, g: 18446744073709551615}") ==
        "a: 0.5\nb: 1.0e+30\nc: \".inf\"\nd: \"1e999\"\ne: 1\nf: 0\ng: 18446744073709551615\n");
}

TEST_CASE("writes a key as a string") {
  CHECK(as_yaml("{yes: a, 010: b, 'no': c, nvidia.com/gpu: d, 1.50: e, '': f, 'a: b': g}") ==
        "\"true\": a\n\"8\": b\n\"no\": c\nnvidia.com/gpu: d\n\"1.5\": e\n\"\": f\n\"a: b\": g\n");
  CHECK(as_json("{yes: a, 010: b}") == "{\n  \"true\": \"a\",\n  \"8\": \"b\"\n}");
}

TEST_CASE("marks a long key with '?'") {
  const std::string key(2000, 'k');
  const std::string text = as_yaml("a:\n  ? " + key + "\n  : {b: c}\n");
  CHECK(text == "a:\n  ? " + key + "\n  :\n    b: c\n");
  CHECK(Parsed(text).root().under("a").under(key).under("b").text() == "c");
}

TEST_CASE("writes the last of duplicate keys") {
  CHECK(as_yaml("{a: 1, b: 2, a: 3}") == "b: 2\na: 3\n");
  CHECK(as_json("{a: 1, b: 2, a: 3}") == "{\n  \"b\": 2,\n  \"a\": 3\n}");
}

TEST_CASE("writes several lines as a literal block") {
  const Parsed parsed("{a: \"x\\ny\\n\", b: [\"x\\ny\"]}");
  const std::string text = to_yaml(parsed.root(), [](const Node&) { return "here"; });
  CHECK(text == "a: |  # here\n  x\n  y\nb:\n- |-  # here\n  x\n  y\n");
  const Parsed again(text);
  CHECK(again.root().under("a").text() == "x\ny\n");
  CHECK(again.root().under("b").at(0).text() == "x\ny");
}

TEST_CASE("writes comments only after leaves") {
  const Parsed parsed("{a: {b: 1}, c: [], d: [{e: f}]}");
  const std::string text =
      to_yaml(parsed.root(), [](const Node& leaf) { return std::string(leaf.text()); });
  CHECK(text == "a:\n  b: 1  # 1\nc: []\nd:\n- e: f  # f\n");
}

TEST_CASE("writes a list at the root") {
  CHECK(as_yaml("[a, {b: c, d: [e]}, [f]]") == "- a\n- b: c\n  d:\n  - e\n-\n  - f\n");
  CHECK(as_yaml("[]") == "[]\n");
}

TEST_CASE("flow style is one line and exact") {
  const Parsed parsed(
      "{a: [x, {}, []], 'b,c': 'd]', e: {f: yes, g: '1', h: ~}, i: \"j\\nk\", l: '?m', o: 'p: '}");
  const std::string plain = R"({a: [x, {}, []], "b,c": "d]", e: {f: true, g: "1", h: null}, )"
                            R"(i: "j\nk", l: "?m", o: "p: "})";
  CHECK(to_flow(parsed.root(), false) == plain);
  CHECK(compact(Parsed(plain).root()) == compact(parsed.root()));
  CHECK(to_flow(parsed.root().under("a"), true) == R"(["x", {}, []])");
  CHECK(to_flow(parsed.root().under("e"), true) == R"({"f": true, "g": "1", "h": null})");
}

TEST_CASE("JSON is indented below its first line") {
  CHECK(to_json(Parsed("{a: [1, {}], b: []}").root(), 4) ==
        "{\n      \"a\": [\n        1,\n        {}\n      ],\n      \"b\": []\n    }");
  CHECK(to_json(missing_node()) == "null");
}

TEST_CASE("YAML and JSON of a tree are equal") {
  const Parsed parsed(
      "a: &a {b: [yes, 0x10, '1', \"\\e\\u202e\", null, 1.25, [[], [1]]]}\n"
      "c:\n  <<: *a\n  d: |\n    x\n\n    y\n");
  const std::string json = to_json(parsed.root());
  CHECK(to_json(Parsed(to_yaml(parsed.root())).root()) == json);
  const auto read = nlohmann::json::parse(json);
  CHECK(read.at("c").at("b").at(1) == 16);
  CHECK(read.at("c").at("d") == "x\n\ny\n");
}

}  // namespace cnsched::yaml::write_test
