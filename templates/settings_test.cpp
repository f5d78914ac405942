#include "templates/settings.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::templates::settings_test {

std::shared_ptr<const Template> model() {
  auto read =
      Template::read("t.yaml",
                     "apiVersion: cnsched/v1\n"
                     "kind: Template\n"
                     "metadata: {name: t, summary: s}\n"
                     "parameters:\n"
                     "- {name: name, type: dns-label, required: true, example: llama, "
                     "description: its name}\n"
                     "- {name: mode, type: enum, values: [a, b], default: a, description: d}\n"
                     "- {name: count, type: integer, description: d, defaultFor: {mode: {b: "
                     "2}}}\n"
                     "- {name: items, type: list, description: d}\n"
                     "---\n"
                     "apiVersion: v1\n"
                     "kind: Pod\n"
                     "name: ${{ name }}\n"
                     "mode: ${{ mode }}\n"
                     "count: ${{ count }}\n"
                     "items: ${{ items }}\n");
  REQUIRE(read);
  return *read;
}

std::string values_of(const Settings& settings) {
  std::string result;
  for (const auto& [name, value] : settings.values()) {
    result += name + "=" + compact(*value) + " ";
  }
  return result;
}

std::string problems_of(const Settings& settings) {
  std::string result;
  for (const std::string& problem : settings.problems()) result += problem + "\n";
  return result;
}

TEST_CASE("--set takes precedence over the file, and the file over defaults") {
  const auto t = model();
  CHECK(values_of(Settings(*t, {.sets = {"name=x"}})) == R"(mode="a" name="x" )");
  CHECK(values_of(Settings(*t, {.sets = {"name=x", "mode=b"}})) == R"(count=2 mode="b" name="x" )");
  CHECK(values_of(Settings(*t, {.sets = {"name=x", "mode=b", "count=3"}})) ==
        R"(count=3 mode="b" name="x" )");
  CHECK(values_of(Settings(*t, {{"name=x"}, "v.yaml", "name: y\ncount: 5\nitems: [1, a]\n"})) ==
        R"(count=5 items=[1,"a"] mode="a" name="x" )");
  CHECK(values_of(Settings(*t, {{}, "v.yaml", "name: 007\nmode: null\n"})) ==
        R"(mode="a" name="007" )");
  CHECK(values_of(Settings(*t, {.sets = {"name=x", "items="}})) == R"(mode="a" name="x" )");
}

TEST_CASE("reports all errors at once") {
  const Settings settings(
      *model(),
      {{"nam=x", "count=two", "mode", "items=a", "items=b"}, "v.yaml", "name: X\nmod: b\n"});
  CHECK(problems_of(settings) ==
        "'t' has no parameter 'nam', did you mean 'name'?\n"
        "'--set mode' has no value: write '--set mode=VALUE'\n"
        "'items' is set twice, to different values\n"
        "v.yaml:2:1: 't' has no parameter 'mod', did you mean 'mode'?\n"
        "'name' must be a DNS label: a-z, 0-9 and '-', at most 63, not 'X'\n"
        "'count' must be an integer, not 'two'\n");
}

TEST_CASE("reports a missing parameter with its description and a complete command") {
  const auto t = model();
  const Settings settings(*t, {.sets = {"mode=b"}});
  CHECK(problems_of(settings) == "'name' is required: its name\n");
  CHECK(command_for(*t, settings.corrected_settings()) ==
        "cnsched generate t --set name=llama --set mode=b");
}

TEST_CASE("reports an empty required parameter once") {
  auto read =
      Template::read("t.yaml",
                     "apiVersion: cnsched/v1\nkind: Template\n"
                     "metadata: {name: t, summary: s}\nparameters:\n"
                     "- {name: items, type: list, required: true, example: 'a,b', "
                     "description: d}\n"
                     "- {name: mode, type: enum, values: [a, b], default: a, description: d}\n"
                     "- {name: city, type: dns-label, requiredFor: {mode: [b]}, example: bonn, "
                     "description: where}\n"
                     "---\napiVersion: v1\nkind: Pod\nx: ${{ items }}\ny: ${{ city }}\n");
  REQUIRE(read);
  CHECK(problems_of(Settings(**read, {.sets = {"items="}})) ==
        "'items' is required and must not be empty\n");
  CHECK(problems_of(Settings(**read, {.sets = {"items"}})) ==
        "'--set items' has no value: write '--set items=VALUE'\n");
  const Settings for_b(**read, {.sets = {"items=x", "mode=b"}});
  CHECK(problems_of(for_b) == "'city' is required for b: where\n");
  const Settings wrong(**read, {.sets = {"items=x", "mode=b", "city=Bonn"}});
  CHECK(command_for(**read, wrong.corrected_settings()) ==
        "cnsched generate t --set items=x --set mode=b --set city=bonn");
}

TEST_CASE("rejects an invalid values file") {
  const auto t = model();
  CHECK(problems_of(Settings(*t, {{"name=x"}, "v.yaml", "- a\n"})) ==
        "v.yaml:1:1: values must be a mapping of parameters to values\n");
  CHECK(problems_of(Settings(*t, {{"name=x"}, "v.yaml", "a: [\n"})).starts_with("v.yaml:"));
  CHECK(problems_of(Settings(*t, {{}, "v.yaml", "name: x\nname: y\n"})) ==
        "v.yaml:1:1: 'name' is set twice\n");
  CHECK(problems_of(Settings(*t, {{"name=x"}, "v.yaml", ""})) == "");
}

TEST_CASE("the command does not depend on the order of the settings") {
  const auto t = model();
  const Settings a(*t, {.sets = {"items=a b,c", "name=x", "mode=b"}});
  const Settings b(*t, {{"mode=b"}, "v.yaml", "name: x\nitems: ['a b', c]\n"});
  const std::string command = "cnsched generate t --set name=x --set mode=b --set 'items=a b,c'";
  CHECK(command_for(*t, a.user_settings()) == command);
  CHECK(command_for(*t, b.user_settings()) == command);
}

TEST_CASE("quotes a shell word where necessary") {
  CHECK(shell_word("name=llama") == "name=llama");
  CHECK(shell_word("gs://a/b-1.0_x:y,@z") == "gs://a/b-1.0_x:y,@z");
  CHECK(shell_word("") == "''");
  CHECK(shell_word("a b") == "'a b'");
  CHECK(shell_word("a'b") == "'a'\\''b'");
  CHECK(shell_word("$x `y` \"z\"") == "'$x `y` \"z\"'");
  CHECK(shell_word("a\nb") == "$'a\\x0ab'");
  CHECK(shell_word("\xe2\x80\xa8'\\") == "$'\\xe2\\x80\\xa8\\'\\\\'");
}

}  // namespace cnsched::templates::settings_test
