#include "core/k8s/schema/deviations.h"
#include "core/yaml/node.h"
#include "testdata/support.h"

namespace cnsched::k8s::schema::deviations_test {

using Kind = Deviation::Kind;

constexpr auto kNames =
    std::to_array<std::string_view>({"unknown", "type", "missing", "choice", "quantity", "format",
                                     "range", "length", "count", "placeholder", "repeated"});

/// "type /spec/nodeSelector/a", in file order; "(pod)" marks those for which only pods are
/// rejected. A key is printed as its text. A text that begins with "# head" is judged by KServe's
/// development branch.
std::string deviations_in(const std::string& text) {
  const Parsed parsed(text);
  const Schemas head({.kserve = kHeadRelease});
  auto found = deviations(parsed.object(), text.starts_with("# head") ? head : Schemas());
  std::ranges::stable_sort(found, {}, [](const Deviation& d) { return d.node->span; });
  std::string words;
  for (const Deviation& d : found) {
    const bool absent = d.kind == Kind::missing_field;
    std::string place = yaml::pointer_to(*d.node, *parsed.object().root);
    if (place.empty() && !absent) place = std::string(parsed.at(d.node->span));
    if (absent) place += fmt::format("/{}", d.field->name);
    words += fmt::format("{}{} {}{}", words.empty() ? "" : "; ",
                         kNames[static_cast<std::size_t>(d.kind)], place,
                         d.rejected_in_pod ? " (pod)" : "");
  }
  return words;
}

/// A manifest of a text that begins with one of these words; its other words are fields there.
std::string manifest_of(std::string_view text) {
  constexpr const char* kInferenceService =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nspec: {predictor: {";
  const std::string container = "containers: [{name: a, image: b, ";
  const std::vector<std::array<std::string, 3>> kinds = {
      {"pod: ", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  ",
       "\n  containers: [{name: a, image: b}]\n"},
      {"container: ", "apiVersion: v1\nkind: Pod\nspec: {" + container, "}]}\n"},
      {"predictor: ", kInferenceService, "}}\n"},
      {"predictor container: ", kInferenceService + container, "}]}}\n"}};
  for (const auto& [word, before, after] : kinds) {
    if (text.starts_with(word)) return before + std::string(text.substr(word.size())) + after;
  }
  return std::string(text);
}

std::string in_spec(const std::string& api_version, const std::string& kind,
                    const std::string& entries) {
  return deviations_in("apiVersion: " + api_version + "\nkind: " + kind + "\nspec: {" + entries +
                       "}\n");
}

TEST_CASE("finds the deviations of objects from the tables of their kinds") {
  check_cases("core/k8s/schema/deviations.cases", [](std::string_view text) {
    const std::string found = deviations_in(manifest_of(text));
    return found.empty() ? "none" : found;
  });
}

TEST_CASE("a length includes both ends and counts characters") {
  const auto gateway = [](std::string_view character, int count) {
    std::string name;
    for (int i = 0; i < count; ++i) name += character;
    return in_spec("serving.kserve.io/v1alpha2", "LLMInferenceService",
                   "router: {gateway: {refs: [{name: '" + name + "'}]}}");
  };
  CHECK(gateway("a", 1).empty());
  CHECK(gateway("a", 253).empty());
  CHECK(gateway("ä", 253).empty());
  CHECK(gateway("a", 0) == "length /spec/router/gateway/refs/0/name");
  CHECK(gateway("a", 254) == "length /spec/router/gateway/refs/0/name");
}

TEST_CASE("reports a missing field with its mapping, field and type") {
  const Parsed parsed("apiVersion: v1\nkind: Pod\nspec: {}\n");
  const auto found = deviations(parsed.object(), {});
  REQUIRE(found.size() == 1);
  CHECK(found.front().node == &parsed.root()["spec"]);
  CHECK(found.front().type->name == "RunnablePodSpec");
  CHECK(found.front().holder->name == "RunnablePodSpec");
  CHECK(found.front().field->name == "containers");
}

TEST_CASE("reports a deviating value with its type, its field and the field's type") {
  const Parsed parsed(
      "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: b}], priority: high}\n");
  const auto found = deviations(parsed.object(), {});
  REQUIRE(found.size() == 1);
  CHECK(found.front().node == &parsed.root()["spec"]["priority"]);
  CHECK(found.front().type->name == "int32");
  CHECK(found.front().holder->name == "RunnablePodSpec");
  CHECK(found.front().field->name == "priority");
}

TEST_CASE("reports a repeated item with the first item and the list") {
  const Parsed parsed(
      "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: b}, {name: b, image: b}, "
      "{name: b, image: b}]}\n");
  const auto found = deviations(parsed.object(), {});
  REQUIRE(found.size() == 1);
  const yaml::Node& containers = parsed.root()["spec"]["containers"];
  CHECK(found.front().node == &containers.at(2));
  CHECK(found.front().first == &containers.at(1));
  CHECK(found.front().field->name == "containers");
  CHECK(found.front().holder->name == "RunnablePodSpec");
}

TEST_CASE("checks aliases of hundreds of thousands of values in time") {
  std::string graph = "a0: &a0 {name: a, modelUri: 1}";
  for (int level = 1; level <= 5; ++level) {
    std::string children;
    for (int i = 0; i < 9; ++i) children += fmt::format("*a{}, ", level - 1);
    graph += fmt::format(", a{}: &a{} {{name: a, children: [{}]}}", level, level, children);
  }
  CHECK(in_spec(
            "machinelearning.seldon.io/v1", "SeldonDeployment",
            "predictors: [{name: a, componentSpecs: [{metadata: {" + graph + "}}], graph: *a5}]") ==
        "type /spec/predictors/0/componentSpecs/0/metadata/a0/modelUri");
}

TEST_CASE("checks aliases below containers in time") {
  std::string env = "env: &env [";
  for (int i = 0; i < 300; ++i) env += fmt::format("{{name: A{}, valeu: a}}, ", i);
  std::string containers;
  for (int i = 0; i < 300; ++i)
    containers += fmt::format(", {{name: a{}, image: b, env: *env}}", i);
  const std::string found =
      in_spec("v1", "Pod", "containers: [{name: a, image: b, " + env + "]}" + containers + "]");
  CHECK(std::ranges::count(found, ';') == 299);
}

TEST_CASE("checks many merges of a large mapping in time") {
  std::string unknown;
  for (int i = 0; i < 300; ++i) unknown += fmt::format(", unknown{}: a", i);
  std::string containers;
  for (int i = 0; i < 300; ++i) containers += fmt::format(", {{<<: *base, name: a{}}}", i);
  const std::string found = in_spec(
      "v1", "Pod", "containers: [&base {name: a, image: b" + unknown + "}" + containers + "]");
  CHECK(std::ranges::count(found, ';') == 299);
}

}  // namespace cnsched::k8s::schema::deviations_test
