#include "core/seldon/model.h"
#include "testdata/support.h"

namespace cnsched::seldon::model_test {

/// The tags that a spec requires: "sklearn|gpu".
std::string required(const std::string& spec) {
  const Parsed parsed(spec);
  return joined(required_tags(parsed.root()), &RequiredTag::tag, "|");
}

TEST_CASE("adds modelType and the explainer's type to the requirements") {
  CHECK(required("{requirements: [' sklearn ', gpu]}") == "sklearn|gpu");
  CHECK(required("{requirements: [gpu], modelType: sklearn}") == "gpu|sklearn");
  CHECK(required("{explainer: {type: anchor_tabular}}") == "alibi-explain");
  CHECK(required("{explainer: {}, modelType: python}") == "python|alibi-explain");
  CHECK(required("{llm: {modelRef: x}, explainer: null}").empty());
}

TEST_CASE("treats an empty string, but not an empty list or null, as a requirement") {
  const Parsed parsed("{requirements: [''], modelType: ''}");
  CHECK(required_tags(parsed.root()).size() == 2);
  CHECK(required("{requirements: [], modelType: null}").empty());
  CHECK(required("{requirements: {a: b}, modelType: [c]}").empty());
  CHECK(required("[]").empty());
}

TEST_CASE("matches no Server with an empty tag or one that contains a comma") {
  CHECK(can_be_capability("sklearn"));
  CHECK(can_be_capability("two words"));
  CHECK_FALSE(can_be_capability("sklearn,gpu"));
  CHECK_FALSE(can_be_capability(""));
}

TEST_CASE("treats an empty name, but not null, as a pin") {
  CHECK(pin_of(Parsed("{server: ''}").root()).is_scalar());
  CHECK(pin_of(Parsed("{server: null}").root()).is_missing());
  CHECK(pin_of(Parsed("{server: [a]}").root()).is_missing());
  CHECK(pin_of(Parsed("{}").root()).is_missing());
}

}  // namespace cnsched::seldon::model_test

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
