#include "core/seldon/capabilities.h"
#include "testdata/support.h"

namespace cnsched::seldon::capabilities_test {

TEST_CASE("marks the value made from capabilities, with the span of their list") {
  const Parsed parsed(
      "spec: {extraCapabilities: [gpu, llm]}\n"
      "containers: [{env: [{name: SELDON_SERVER_CAPABILITIES, value: a}]}, {env: [{name: B}]}]\n");
  Arena arena;
  const yaml::Node& containers = parsed.root()["containers"];
  const yaml::Node& changed = with_capabilities(arena, containers, parsed.root()["spec"]);
  const yaml::Node& value = changed.at(0)["env"].at(0)["value"];
  CHECK(value.text() == "a,gpu,llm");
  CHECK(value.made);
  CHECK(parsed.at(value.span) == "[gpu, llm]");
  CHECK(&changed.at(1) == &containers.at(1));
}

TEST_CASE("returns the containers unchanged without capabilities") {
  const Parsed parsed(
      "spec: {capabilities: [], extraCapabilities: null}\n"
      "containers: [{env: [{name: SELDON_SERVER_CAPABILITIES, value: a}]}]\n");
  Arena arena;
  const yaml::Node& containers = parsed.root()["containers"];
  CHECK(&with_capabilities(arena, containers, parsed.root()["spec"]) == &containers);
}

TEST_CASE("adds no containers for capabilities") {
  const Parsed parsed("spec: {capabilities: [llm]}");
  Arena arena;
  const yaml::Node& spec = parsed.root()["spec"];
  CHECK(with_capabilities(arena, yaml::missing_node(), spec).is_missing());
}

TEST_CASE("limits long texts that aliases repeat") {
  std::string text = "long: &long " + std::string(50'000, 'x') + "\nspec:\n  extraCapabilities: [";
  for (int i = 0; i < 1000; ++i) text += "*long, ";
  text += "]\nvariable: &v {name: SELDON_SERVER_CAPABILITIES, value: *long}\ncontainers:\n- env: [";
  for (int i = 0; i < 1000; ++i) text += "*v, ";
  const Parsed parsed(text + "]\n");
  REQUIRE(parsed.document.problems.empty());
  Arena arena;
  const yaml::Node& changed =
      with_capabilities(arena, parsed.root()["containers"], parsed.root()["spec"]);
  std::string_view last;
  std::size_t made = 0;
  for (const yaml::Node* variable : changed.at(0)["env"].items()) {
    const std::string_view value = (*variable)["value"].text();
    if (value.data() != last.data()) made += value.size();
    last = value;
  }
  CHECK(made < 2'000'000);
}

}  // namespace cnsched::seldon::capabilities_test
