#include "core/yaml/strict_reader.h"
#include "testdata/support.h"

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
  CHECK_FALSE(reader.string(parsed.root()["other"], "other"));
  CHECK_FALSE(reader.string(parsed.root()["absent"], "absent"));
  CHECK(reader.list(parsed.root()["absent"], "absent").empty());
  CHECK(errors.empty());
}

}  // namespace cnsched::yaml::strict_reader_test
