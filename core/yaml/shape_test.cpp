#include "core/yaml/shape.h"

#include <doctest/doctest.h>

#include <string>

#include "testdata/support.h"

namespace cnsched::yaml {

namespace {

using Type = Shape::Type;

/// The errors, one per line, without the file's name.
std::string complaints(const Shape& shape, const std::string& text) {
  const test::Parsed parsed(text);
  REQUIRE(parsed.document.problems.empty());
  std::vector<Error> errors;
  StrictReader reader(parsed.file, errors);
  check_shape(parsed.root(), "it", shape, reader);
  std::string lines;
  for (const Error& error : errors) {
    lines += (lines.empty() ? "" : "\n") + error.message.substr(error.message.find(':') + 1);
  }
  return lines;
}

}  // namespace

TEST_CASE("a word is one of a list, and few words are all named") {
  const Shape colour{.what = "colour", .words = {"red", "green"}};
  CHECK(complaints(colour, "red").empty());
  CHECK(complaints(colour, "grene") == "1:1: 'grene' is no colour, did you mean 'green'?");
  CHECK(complaints(colour, "blue") == "1:1: 'blue' is no colour: use red or green");
  CHECK(complaints(colour, "1") == "1:1: '1' is no colour: use red or green");
  CHECK(complaints(colour, "[red]") == "1:1: 'it' has to be a string, not a list; quote it");
}

TEST_CASE("off is a word with and without quotes where it is allowed") {
  const Shape level{.off_too = true, .what = "level", .words = {"off", "high"}};
  CHECK(complaints(level, "off").empty());
  CHECK(complaints(level, "'off'").empty());
  CHECK(complaints(level, "on") == "1:1: 'on' is no level: use off or high");
}

TEST_CASE("a value that may be of several types is refused with all of them") {
  const Shape shape{.type = Type::either, .parts = {{}, {.type = Type::list, .parts = {{}}}}};
  CHECK(complaints(shape, "a").empty());
  CHECK(complaints(shape, "[a]").empty());
  CHECK(complaints(shape, "[1]") == "1:2: 'it[]' has to be a string, not an integer; quote it");
  CHECK(complaints(shape, "{a: b}") == "1:1: 'it' has to be a string or a list, not a mapping");
}

TEST_CASE("a key may be left empty unless it is required, an item may not") {
  const Shape shape{.type = Type::record,
                    .fields = {{"list", "", "", {.type = Type::list, .parts = {{}}}},
                               {"name", "", "", {.filled = true}, true}}};
  CHECK(complaints(shape, "{list:, name: a}").empty());
  CHECK(complaints(shape, "{name:}") == "1:1: 'it' needs 'name'");
  CHECK(complaints(shape, "{list: [~], name: a}") == "1:9: 'list[]' may not be empty");
  CHECK(complaints(shape, "{name: ''}") == "1:8: 'name' may not be empty");
}

TEST_CASE("an amount may be a number, a switch a boolean or on and off in quotes") {
  CHECK(complaints({.type = Type::amount}, "1.5").empty());
  CHECK(complaints({.type = Type::amount}, "1500m").empty());
  CHECK_FALSE(complaints({.type = Type::amount}, "true").empty());
  CHECK(complaints({.type = Type::boolean}, "yes").empty());
  CHECK(complaints({.type = Type::boolean}, "'off'").empty());
  CHECK(complaints({.type = Type::boolean}, "1") == "1:1: 'it' is true (on) or false (off)");
  CHECK(complaints({.type = Type::integer}, "x") == "1:1: 'it' has to be an integer, not a string");
}

}  // namespace cnsched::yaml
