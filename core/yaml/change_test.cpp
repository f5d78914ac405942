#include "core/yaml/change.h"

#include <doctest/doctest.h>

#include "testdata/support.h"

namespace cnsched::yaml {

namespace {

/// `text` once `part` of it, which is in a comment, says something else.
std::string with_comment(const std::string& text, std::string_view part, std::string_view other) {
  const test::Parsed parsed(text);
  const auto begin = static_cast<std::uint32_t>(text.find(part));
  const Span where{0, begin, begin + static_cast<std::uint32_t>(part.size())};
  const std::vector<Change> changes = {to_change_comment(where, other)};
  if (const auto obstacle = Changeable(parsed.document).obstacle_to(changes)) {
    return "obstacle: " + obstacle->message;
  }
  const auto edits = edits_for(parsed.file, parsed.document, changes);
  return edits ? cnsched::apply(text, *edits) : "error: " + edits.error().message;
}

}  // namespace

TEST_CASE("a part of a comment changes, and nothing else") {
  CHECK(with_comment("a: 1  # one, two\nb: 2\n", ", two", "") == "a: 1  # one\nb: 2\n");
  CHECK(with_comment("# one\r\na: 1\r\n", "one", "two") == "# two\r\na: 1\r\n");
}

TEST_CASE("a comment goes with the blanks before it, or with its line") {
  CHECK(with_comment("a: 1  # one\nb: 2\n", "  # one", "") == "a: 1\nb: 2\n");
  CHECK(with_comment("a:\n  # one\n  b: 2\n", "  # one\n", "") == "a:\n  b: 2\n");
  CHECK(with_comment("a: 1\n# one", "# one", "") == "a: 1\n");
}

TEST_CASE("what is no comment, or would change the tree, is refused") {
  CHECK(with_comment("a: 1  # one\nb: 2\n", "b: 2", "") == "obstacle: there is no comment");
  CHECK(with_comment("a: '# one'\n", "# one", "") == "obstacle: there is no comment");
  CHECK(with_comment("a: 1  # one\nb: 2\n", "# one\nb: 2", "").starts_with("error: "));
  CHECK(with_comment("a: 1  # one\nb: 2\n", "# one", "c: 3\nd: 4").starts_with("error: "));
}

TEST_CASE("a comment changes together with what it is about") {
  const test::Parsed parsed("a: 1  # one\nb: 2\n");
  const std::vector<Change> changes = {to_change_comment({0, 8, 11}, "two"),
                                       to_rename(parsed.root()["a"], "c")};
  const auto edits = edits_for(parsed.file, parsed.document, changes);
  REQUIRE(edits);
  CHECK(apply(parsed.file.bytes(), *edits) == "c: 1  # two\nb: 2\n");
}

}  // namespace cnsched::yaml
