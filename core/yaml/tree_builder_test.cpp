#include "core/yaml/tree_builder.h"

#include "testdata/support.h"

namespace cnsched::yaml::merge_keys_test {

std::string merged(const std::string& text, std::string_view key = "x") {
  const Parsed parsed(text);
  if (!parsed.document.problems.empty()) return parsed.document.problems.front().message;
  return std::string(parsed.root().under("m").under(key).text());
}

TEST_CASE("a merge key merges another mapping's entries") {
  const Parsed parsed("d: &d {x: 1, y: 2}\nm:\n  <<: *d\n  y: 3\n");
  const Node& m = parsed.root().under("m");
  CHECK(m.under("x").text() == "1");
  CHECK(m.under("y").text() == "3");
  CHECK(m.under("<<").is_missing());
  REQUIRE(m.entries().size() == 2);
  CHECK(m.entries()[0].merged);
  CHECK_FALSE(m.entries()[1].merged);
  CHECK(parsed.place(m.under("x").span) == "1:11-12");
}

TEST_CASE("a merge key below a key overrides it, as in kubectl") {
  CHECK(merged("d: &d {x: 1}\nm: {x: 2, <<: *d}\n") == "1");
  CHECK(merged("d: &d {x: 1}\nm: {<<: *d, x: 2}\n") == "2");
}

TEST_CASE("of a list of mappings the first one wins") {
  CHECK(merged("a: &a {x: 1}\nb: &b {x: 2, y: 3}\nm: {<<: [*a, *b]}\n") == "1");
  CHECK(merged("a: &a {x: 1}\nb: &b {x: 2, y: 3}\nm: {<<: [*a, *b]}\n", "y") == "3");
}

TEST_CASE("merges mappings that have merge keys") {
  CHECK(merged("a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nm: {<<: *b}\n") == "1");
}

TEST_CASE("a quoted << is a key like any other") {
  CHECK(merged("d: &d {x: 1}\nm: {'<<': *d}\n").empty());
  CHECK(merged("m: {'<<': v}\n", "<<") == "v");
}

TEST_CASE("only mappings can be merged") {
  for (const char* value : {"x", "[x]", "1", "[[]]", "~"}) {
    INFO(value);
    CHECK(merged(fmt::format("m: {{<<: {}}}\n", value)) == "'<<' can only merge a mapping");
  }
  CHECK(merged("l: &l [{x: 1}]\nm: {<<: *l}\n") == "'<<' can only merge a mapping");
  CHECK(merged("m: {<<: []}\n").empty());
}

TEST_CASE("limits the entries of repeated merge keys") {
  std::string text = "d: &d\n";
  for (int i = 0; i < 3000; ++i) text += fmt::format("  k{}: v\n", i);
  text += "l:\n";
  for (int i = 0; i < 3000; ++i) text += "- <<: *d\n";
  CHECK(merged(text).starts_with("'<<' merges too many entries"));
}

}  // namespace cnsched::yaml::merge_keys_test
