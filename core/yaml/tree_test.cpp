#include "core/yaml/tree.h"
#include "testdata/support.h"

namespace cnsched::yaml::tree_test {

TEST_CASE("replacing a value keeps the order and the spans") {
  const Parsed parsed("{a: 1, b: {c: 2}}");
  Arena arena;
  const Node& root = parsed.root();
  const Node& changed = with(arena, root, "a"_key, root.under("b").under("c"));
  CHECK(compact(changed) == R"({"a":2,"b":{"c":2}})");
  CHECK(changed.span == root.span);
  CHECK(&changed.under("a") == &root.under("b").under("c"));
  CHECK(&changed.under("b") == &root.under("b"));
  CHECK(compact(root) == R"({"a":1,"b":{"c":2}})");
}

TEST_CASE("a new key comes last and is built") {
  const Parsed parsed("{a: 1, b: 2}");
  Arena arena;
  const Node& changed = with(arena, parsed.root(), "c"_key, parsed.root().under("b"));
  REQUIRE(changed.entries().size() == 3);
  CHECK(changed.entries()[2].key->text() == "c");
  CHECK(changed.entries()[2].key->made);
  CHECK(changed.entries()[2].key->span == Span{});
}

TEST_CASE("a missing mapping or sequence takes the span of its first child") {
  const Parsed parsed("a: 1");
  Arena arena;
  const Node& value = parsed.root().under("a");
  const Node& mapping = with(arena, missing_node(), "b"_key, value);
  CHECK(compact(mapping) == R"({"b":1})");
  CHECK(mapping.span == value.span);
  const Node& sequence = with_item(arena, missing_node(), value);
  CHECK(compact(sequence) == "[1]");
  CHECK(compact(with_item(arena, sequence, value)) == "[1,1]");
}

TEST_CASE("reads the last of duplicate keys, and without() removes all") {
  const Parsed parsed("{a: 1, b: 2, a: 3}");
  Arena arena;
  CHECK(entries_of(parsed.root()).size() == 2);
  CHECK(compact(without(arena, parsed.root(), "a")) == R"({"b":2})");
  CHECK(compact(with(arena, parsed.root(), "a"_key, parsed.root().under("b"))) ==
        R"({"a":2,"b":2})");
}

TEST_CASE("a literal key takes no memory, another is copied") {
  const Parsed parsed("a: 1");
  Arena arena;
  const Entry first = entry_of(arena, "name"_key, parsed.root().under("a"));
  const Entry second = entry_of(arena, "name"_key, parsed.root().under("a"));
  CHECK(arena.used() == 0);
  CHECK(first.key == second.key);
  CHECK(first.key->text() == "name");
  CHECK(first.key->made);
  std::string text = "name";
  const Entry third = entry_of(arena, text, parsed.root().under("a"));
  text = "gone";
  CHECK(third.key->text() == "name");
  CHECK(third.number == first.number);
  CHECK(entry_of(arena, ""_key, parsed.root()).key->text().empty());
}

TEST_CASE("fields are picked in the mapping's order") {
  const Parsed parsed("{a: 1, b: 2, c: 3}");
  constexpr auto kFields = std::to_array<std::string_view>({"c", "a", "d"});
  Arena arena;
  const auto entries = pick(parsed.root(), kFields);
  CHECK(compact(mapping_like(arena, parsed.root(), entries)) == R"({"a":1,"c":3})");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].key->text() == "a");
}

TEST_CASE("a built node is marked and has its type") {
  const Parsed parsed("a: '1'");
  Arena arena;
  const Node& like = parsed.root().under("a");
  const Node& list =
      sequence_like(arena, like,
                    {&string_like(arena, like, "true"), &integer_like(arena, like, -5),
                     &boolean_like(arena, like, false), &string_like(arena, nowhere(), "")});
  CHECK(compact(list) == R"(["true",-5,false,""])");
  CHECK_FALSE(list.made);
  for (const Node* item : list.items()) CHECK(item->made);
  CHECK(parsed.at(list.at(1).span) == "'1'");
}

TEST_CASE("of equal keys the last value wins at the first position") {
  const Parsed parsed("{a: 1, b: 2}");
  const Parsed later("{c: 3, a: 4}");
  Arena arena;
  Overlay overlay(arena);
  overlay.add_all(parsed.root());
  overlay.add_all(missing_node());
  overlay.add_all(later.root());
  overlay.add("b"_key, string_like(arena, nowhere(), "made"));
  CHECK(overlay.has("b"));
  CHECK_FALSE(overlay.has("d"));
  const Node& mapping = overlay.mapping(nowhere());
  REQUIRE(mapping.entries().size() == 3);
  CHECK(mapping.entries()[0].key == later.root().entries()[1].key);
  CHECK(&mapping.under("a") == &later.root().under("a"));
  CHECK(mapping.under("b").text() == "made");
  CHECK(mapping.entries()[2].key->text() == "c");
}

TEST_CASE("an empty overlay is a missing node") {
  Arena arena;
  CHECK(Overlay(arena).mapping(nowhere()).is_missing());
}

}  // namespace cnsched::yaml::tree_test
