#include "core/yaml/shape.h"
#include "testdata/support.h"

namespace cnsched::yaml::shape_test {

using Type = Shape::Type;

/// The errors, one per line, without the file's name.
std::string complaints(const Shape& shape, const std::string& text) {
  const Parsed parsed(text);
  REQUIRE(parsed.document.problems.empty());
  std::vector<Error> errors;
  StrictReader reader(parsed.file, errors);
  check_shape(parsed.root(), "it", shape, reader);
  return joined(
      errors, [&](const Error& error) { return error.message.substr(error.message.find(':') + 1); },
      "\n");
}

TEST_CASE("rejects an unknown word and lists a few known ones") {
  const Shape colour{.what = "colour", .words = {"red", "green"}};
  CHECK(complaints(colour, "red").empty());
  CHECK(complaints(colour, "grene") == "1:1: 'grene' is not a valid colour, did you mean 'green'?");
  CHECK(complaints(colour, "blue") == "1:1: 'blue' is not a valid colour: use red or green");
  CHECK(complaints(colour, "1") == "1:1: '1' is not a valid colour: use red or green");
  CHECK(complaints(colour, "[red]") == "1:1: 'it' must be a string, not a list; quote it");
}

TEST_CASE("accepts off with and without quotes where it is allowed") {
  const Shape level{.off_too = true, .what = "level", .words = {"off", "high"}};
  CHECK(complaints(level, "off").empty());
  CHECK(complaints(level, "'off'").empty());
  CHECK(complaints(level, "on") == "1:1: 'on' is not a valid level: use off or high");
}

TEST_CASE("names all types of a value of the wrong type") {
  const Shape shape{.type = Type::either, .parts = {{}, {.type = Type::list, .parts = {{}}}}};
  CHECK(complaints(shape, "a").empty());
  CHECK(complaints(shape, "[a]").empty());
  CHECK(complaints(shape, "[1]") == "1:2: 'it[]' must be a string, not an integer; quote it");
  CHECK(complaints(shape, "{a: b}") == "1:1: 'it' must be a string or a list, not a mapping");
}

TEST_CASE("accepts an empty optional key, rejects an empty item") {
  const Shape shape{.type = Type::record,
                    .fields = {{"list", "", "", {.type = Type::list, .parts = {{}}}},
                               {"name", "", "", {.filled = true}, true}}};
  CHECK(complaints(shape, "{list:, name: a}").empty());
  CHECK(complaints(shape, "{name:}") == "1:1: 'it' requires 'name'");
  CHECK(complaints(shape, "{list: [~], name: a}") == "1:9: 'list[]' must not be empty");
  CHECK(complaints(shape, "{name: ''}") == "1:8: 'name' must not be empty");
}

TEST_CASE("accepts a number as an amount, and on and off in quotes as a boolean") {
  CHECK(complaints({.type = Type::amount}, "1.5").empty());
  CHECK(complaints({.type = Type::amount}, "1500m").empty());
  CHECK_FALSE(complaints({.type = Type::amount}, "true").empty());
  CHECK(complaints({.type = Type::boolean}, "yes").empty());
  CHECK(complaints({.type = Type::boolean}, "'off'").empty());
  CHECK(complaints({.type = Type::boolean}, "1") == "1:1: 'it' must be true (on) or false (off)");
  CHECK(complaints({.type = Type::integer}, "x") == "1:1: 'it' must be an integer, not a string");
}

}  // namespace cnsched::yaml::shape_test

namespace cnsched::yaml::strict_reader_test {

/// The errors for a text whose root may have `name` and `rules`.
std::vector<std::string> complaints(const std::string& text) {
  const Parsed parsed(text);
  REQUIRE(parsed.document.problems.empty());
  std::vector<Error> errors;
  StrictReader reader(parsed.file, errors);
  if (reader.mapping(parsed.root(), "config", {"name", "rules"})) {
    (void)reader.string(parsed.root()["name"], "name");
    (void)reader.list(parsed.root()["rules"], "rules");
  }
  std::vector<std::string> messages;
  for (const Error& error : errors) messages.push_back(error.message);
  return messages;
}

using Messages = std::vector<std::string>;

TEST_CASE("accepts valid values") {
  CHECK(complaints("name: x\nrules: [a]\n").empty());
  CHECK(complaints("name:\nrules:\n").empty());
  CHECK(complaints("{}\n").empty());
}

TEST_CASE("names an unknown key with its position and a suggestion") {
  CHECK(complaints("name: x\nrulse: []\n") ==
        Messages{"test.yaml:2:1: unknown key 'rulse' in 'config', did you mean 'rules'?"});
  CHECK(complaints("zebra: x\n") == Messages{"test.yaml:1:1: unknown key 'zebra' in 'config'"});
}

TEST_CASE("rejects a key that is set twice") {
  CHECK(complaints("name: x\nname: z\n") ==
        Messages{"test.yaml:1:1: 'name' is set twice in 'config'"});
}

TEST_CASE("reports all values of the wrong kind at once") {
  CHECK(complaints("- a\n") == Messages{"test.yaml:1:1: 'config' must be a mapping, not a list"});
  CHECK(complaints("name: yes\nrules: x\n") ==
        Messages{"test.yaml:1:7: 'name' must be a string, not a boolean; quote it",
                 "test.yaml:2:8: 'rules' must be a list, not a string"});
}

TEST_CASE("a missing value is nothing") {
  const Parsed parsed("name: 'x'\nother:\n");
  std::vector<Error> errors;
  StrictReader reader(parsed.file, errors);
  CHECK(reader.string(parsed.root()["name"], "name") == "x");
  CHECK_FALSE(reader.string(parsed.root().under("other"), "other"));
  CHECK_FALSE(reader.string(parsed.root().under("absent"), "absent"));
  CHECK(reader.list(parsed.root().under("absent"), "absent").empty());
  CHECK(errors.empty());
}

}  // namespace cnsched::yaml::strict_reader_test
