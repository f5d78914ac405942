#include "core/yaml/bytes.h"
#include "core/yaml/split.h"
#include "core/yaml/tree_builder.h"
#include "testdata/support.h"
#include "testdata/tree_dump.h"

namespace cnsched::yaml::quick_reader_test {

/// Reads every document of a text both ways; how many of them the quick reader has read.
std::size_t read_both_ways(std::string text, const std::string& name = "test.yaml") {
  const SourceFile file(0, name, std::move(text));
  std::size_t quick = 0;
  for (const Span where : split(file)) {
    if (find_bad_byte(file, where)) continue;
    Document quickly = unread_document(where);
    const QuickEnd end = read_quickly(file, where, quickly);
    Document by_events = unread_document(where);
    if (end != QuickEnd::given_up) read_events(file, where, by_events);
    CAPTURE(name);
    CAPTURE(file.text(where));
    if (end == QuickEnd::read) {
      ++quick;
      CHECK(dump(quickly) == dump(by_events));
      continue;
    }
    CHECK(quickly.root->is_missing());
    CHECK(quickly.comments.empty());
    if (end == QuickEnd::action) CHECK(by_events.templated);
  }
  return quick;
}

bool is_read(const std::string& text) { return read_both_ways(text) == 1; }

TEST_CASE("the quick reader agrees with yaml-cpp on common YAML") {
  CHECK(is_read("a: b\n"));
  CHECK(is_read("---\na: b"));
  CHECK(is_read("# Source: x\n---\n\n# c\na: b # d\n# e\n"));
  CHECK(is_read("a:\n  b:\n    c: 1\n  d: true\ne: ~\n"));
  CHECK(is_read("a:\nb:\n  - c\n  -\n  - d: e\n    f: null\n"));
  CHECK(is_read("a:\n- b\n- c:\n  - d\n  e: f\ng: h\n"));
  CHECK(is_read("-   a: b\n    c: d\n- - e\n  - f\n"));
  CHECK(is_read("a: 'it''s'\n\"b\": \"\\\"q\\\" \\\\ \\/ \\n\\t \\u003c\"  # c\n"));
  CHECK(is_read("- \"a\": b\n- 'c: d'\n- \"e\"\n"));
  CHECK(is_read("a: --flag=x y#z:w\nb: -1\nc: 1.5Gi\nd: 0o17\ne: http://x:80/?q#f\n"));
  CHECK(is_read("a: [b, \"c\", {d: e, \"f\": 1}]\nb: {}\nc: []\nd: { }\n"));
  CHECK(is_read("{\"a\": [1, null, true, \"x\\ny\"],\n  \"b\":{\"c\":\"d\"}}\n"));
  CHECK(is_read("[\n  a,\n  b\n]\n"));
  CHECK(is_read("a: b\na: c\n"));
  CHECK(is_read("  a: b\n  c: d\n"));
  CHECK(is_read("a: \"\\u00e4 \\u2713 \\u007e\"\n"));
  CHECK(is_read("a: [--b=c, x:80/y, 50%, a@b, {k:v: w}]\n"));
  CHECK(is_read("\xEF\xBB\xBF# c\na: b\n"));
  CHECK(is_read("{\"a\" : {\"b\"  :1}}\n"));
  CHECK(is_read("a: <b>  # c\nd:\n- <e\n"));
  CHECK(is_read("a:\n-\n~::\n"));
  CHECK(is_read("a:\n-\nnull:b: c\n"));
  CHECK(is_read("a: \xC3\xA4 \xE2\x9C\x93\n# \xC3\xBC\n"));
}

TEST_CASE("the quick reader agrees with yaml-cpp on literal blocks") {
  CHECK(is_read("a: |\n  one\n  two\nb: c\n"));
  CHECK(is_read("a: |-\n  one\n\n    two \n\n\nb: c\n"));
  CHECK(is_read("- |\n one\n- x\n"));
  CHECK(is_read("a:\n- |  \n\n  one\n# c\n"));
  CHECK(is_read("a: |\n  # no comment\n  b: c\n"));
  CHECK(is_read("a:\n  b: |\n    one\n  c: d\n"));
  CHECK(is_read("a: |-\n  one\n\n  two"));
  CHECK(is_read("a: |\n  one\n    \n\n   \n  two\n"));
  CHECK_FALSE(is_read("a: |\n  one\n    \nb: c\n"));
  CHECK_FALSE(is_read("a: >\n  one\n    \n  two\n"));
  CHECK_FALSE(is_read("a: |+\n  one\n"));
  CHECK_FALSE(is_read("a: |2\n   one\n"));
  CHECK_FALSE(is_read("a: |\n  one"));
  CHECK_FALSE(is_read("a: |\n    one\n  two\n"));
  CHECK_FALSE(is_read("a: |\n     \n  two\n"));
  CHECK_FALSE(is_read("a: |\nb: c\n"));
}

TEST_CASE("the quick reader agrees with yaml-cpp on scalars of several lines") {
  CHECK(is_read("a: one\n  two\n\n\n    three  # c\nb: c\n"));
  CHECK(is_read("- one\n  two\n- a: b\n    c\n  d: e\n"));
  CHECK(is_read("a: one\n  - two\n  'three'\n  [four], &five\n"));
  CHECK(is_read("a: \"one  \n  two\\n\n  three\\\n  four \"\nb: \"\n  c\"\n"));
  CHECK(is_read("a: \"b\\  \n  c\"\n"));
  CHECK(is_read("a: 'it''s\n  one: two\n\n  # three'  # c\n"));
  CHECK(is_read("a: >\n  one\n  two\n\n  three\n\nb: >-\n    four\n    five\n"));
  CHECK(is_read("a: [b,\n  c d, (e),\n  {f: g h}\n]\n"));
  CHECK(is_read("{\t\"a\": [\n\t1\n] }\n"));
  CHECK_FALSE(is_read("a: b\nc\n"));
  CHECK_FALSE(is_read("a: b  # c\n  d\n"));
  CHECK_FALSE(is_read("a: b\n  # c\n  d\n"));
  CHECK_FALSE(is_read("a: \"b\nc\"\n"));
  CHECK_FALSE(is_read("a: \"b\\\n\n  c\"\n"));
  CHECK_FALSE(is_read("a: \"b\n  \"\n"));
  CHECK_FALSE(is_read("a: >\n  one\n    two\n"));
  CHECK_FALSE(is_read("a: >\n  one\n  "));
  CHECK_FALSE(is_read("\"a\n  b\": c\n"));
}

TEST_CASE("the quick reader rejects ambiguous YAML") {
  for (const std::string text : {"a\n",
                                 "a:\n  b\n",
                                 "a: b: c\n",
                                 "a: b\n c: d\n",
                                 "a: b\n  c: d\n",
                                 "a: 'b\n",
                                 "a: \"b\" c\n",
                                 "a: &x b\n",
                                 "a: *x\n",
                                 "a: !!str b\n",
                                 "? a\n: b\n",
                                 "a : b\n",
                                 "a:\tb\n",
                                 "a: b\r\n",
                                 "<<: {a: b}\n",
                                 "~: a\n",
                                 "{null: a}\n",
                                 "a: b\n...\n",
                                 "%YAML 1.1\n---\na: b\n",
                                 "--- a\n",
                                 "a: {{ b }}\n",
                                 "a: [b\n",
                                 "a: [b,]\n",
                                 "a: [b: c]\n",
                                 "{a: }\n",
                                 "{a}\n",
                                 "{a: b} c\n",
                                 "a: \"\\x41\"\n",
                                 "a: \"\\ud83d\\ude00\"\n",
                                 "a: \"\\u0001\"\n",
                                 "a: [b: c, :d]\n",
                                 "a:\n  - b\n c: d\n",
                                 "- a\nb: c\n",
                                 "a: - b\n",
                                 "a: @b\n",
                                 "a: `b`\n",
                                 "a:\n  b: c\n d: e\n",
                                 "[a]\n---x\n"}) {
    CAPTURE(text);
    CHECK_FALSE(is_read(text));
  }
  CHECK_FALSE(is_read(std::string(2000, 'k') + ": v\n"));
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK_FALSE(is_read(deep));
}

TEST_CASE("the quick reader stops at the first action of a template") {
  const auto end_of = [](std::string text) {
    const SourceFile file(0, "test.yaml", std::move(text));
    Document document = unread_document(file.whole());
    return read_quickly(file, file.whole(), document);
  };
  for (const char* text : {"a: {{ b }}\n", "a: b\n{{- if c }}\n", "- {{ b }}-c\n", "{{ a }}\n",
                           "a: [{{ b }}]\n", "a:\n  {{- b }}\n  c: d\n"}) {
    CAPTURE(text);
    CHECK(end_of(text) == QuickEnd::action);
    CHECK(read_both_ways(text) == 0);
  }
  CHECK(end_of("a: \"{{ b }}\"\nc: |\n  {{ d }}\n") == QuickEnd::read);
  CHECK(end_of("a: &b {{ c }}\n") == QuickEnd::given_up);
}

TEST_CASE("both readers agree on every document of the project and the corpus") {
  std::size_t files = 0;
  std::size_t quick = 0;
  for (const char* root : {"rules", "testdata", "../shared/corpus"}) {
    for (const std::string& path : files_below(project_file(root), {".yaml", ".yml", ".json"})) {
      ++files;
      quick += read_both_ways(read_all(path), path);
    }
  }
  CHECK(files > 100);
  CHECK(quick > files / 2);
}

}  // namespace cnsched::yaml::quick_reader_test
