#include "core/kserve/deployment_mode.h"
#include "testdata/support.h"

namespace cnsched::kserve::deployment_mode_test {

/// The mode of an InferenceService with this annotation and status, either of which may be empty.
DeploymentMode mode_of(const std::string& annotation, const std::string& status,
                       const std::optional<Version>& version = std::nullopt,
                       DeploymentMode by_default = DeploymentMode::unknown) {
  std::string text = "kind: InferenceService\n";
  if (!annotation.empty()) {
    text += "metadata: {annotations: {serving.kserve.io/deploymentMode: " + annotation + "}}\n";
  }
  if (!status.empty()) text += "status: {deploymentMode: " + status + "}\n";
  const Parsed parsed(text);
  return deployment_mode_of(parsed.object(), {by_default, nullptr}, version).mode;
}

/// An inferenceservice-config whose key `deploy` is `json`.
std::string config_map(const std::string& json) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: inferenceservice-config}\n"
         "data:\n  deploy: |-\n" +
         json;
}

std::optional<DefaultMode> default_mode(const std::string& text) {
  const Parsed parsed(text);
  return default_mode_in(parsed.object());
}

constexpr auto kUnknown = DeploymentMode::unknown;
constexpr auto kKnative = DeploymentMode::knative;
constexpr auto kStandard = DeploymentMode::standard;
constexpr auto kModelMesh = DeploymentMode::model_mesh;

TEST_CASE("reads the mode from the annotation, in old and new names") {
  CHECK(mode_of("Serverless", "") == kKnative);
  CHECK(mode_of("Knative", "") == kKnative);
  CHECK(mode_of("RawDeployment", "") == kStandard);
  CHECK(mode_of("Standard", "") == kStandard);
  CHECK(mode_of("ModelMesh", "") == kModelMesh);
}

TEST_CASE("treats a placeholder as an unknown mode, whatever the default") {
  CHECK(mode_of("\"${MODE}\"", "", std::nullopt, kKnative) == kUnknown);
  CHECK(mode_of("\"${MODE}\"", "Standard", std::nullopt, kKnative) == kStandard);
  CHECK(mode_of("\"\"", "", std::nullopt, kKnative) == kKnative);
}

TEST_CASE("does not assume the shipped default for an object with a deploymentStrategy") {
  const Parsed parsed(
      "kind: InferenceService\nspec: {transformer: {deploymentStrategy: {type: Recreate}}}\n");
  const k8s::Object& object = parsed.object();
  const yaml::Node& strategy = object.spec()["transformer"]["deploymentStrategy"];
  const ModeOf mode = deployment_mode_of(object, {}, std::nullopt);
  CHECK(mode.mode == kUnknown);
  CHECK(mode.node == &strategy);
  CHECK(deployment_mode_of(object, {kStandard, &strategy}, std::nullopt).mode == kStandard);
}

TEST_CASE("uses the default without an annotation, or with one that KServe does not recognise") {
  for (const std::string annotation : {"", "rawdeployment", "Raw", "standard", "RAWDEPLOYMENT"}) {
    CAPTURE(annotation);
    CHECK(mode_of(annotation, "") == kUnknown);
    CHECK(mode_of(annotation, "", std::nullopt, kStandard) == kStandard);
  }
}

TEST_CASE("honours the new names from 0.16 on, and uses the default before") {
  for (const std::string annotation : {"Standard", "Knative"}) {
    CAPTURE(annotation);
    CHECK(mode_of(annotation, "", Version{0, 15, 2}) == kUnknown);
    CHECK(mode_of(annotation, "", Version{0, 16, 0}) != kUnknown);
  }
  CHECK(mode_of("Standard", "", Version{0, 15, 0}, kKnative) == kKnative);
  CHECK(mode_of("RawDeployment", "", Version{0, 9, 0}) == kStandard);
  CHECK(mode_of("Serverless", "", Version{0, 20, 0}) == kKnative);
}

TEST_CASE("prefers the status to the annotation from 0.16 on") {
  CHECK(mode_of("Knative", "Standard") == kStandard);
  CHECK(mode_of("", "Serverless") == kKnative);
  CHECK(mode_of("RawDeployment", "Serverless", Version{0, 16, 0}) == kKnative);
  CHECK(mode_of("RawDeployment", "Serverless", Version{0, 15, 0}) == kStandard);
  CHECK(mode_of("RawDeployment", "nonsense") == kStandard);
}

TEST_CASE("points at the value that sets the mode") {
  const Parsed parsed(
      "kind: InferenceService\nmetadata:\n  annotations:\n"
      "    serving.kserve.io/deploymentMode: RawDeployment\n");
  const k8s::Object& object = parsed.object();
  const ModeOf mode = deployment_mode_of(object, {}, std::nullopt);
  REQUIRE(mode.node != nullptr);
  CHECK(parsed.at(mode.node->span) == "RawDeployment");

  const Parsed silent("kind: InferenceService\n");
  CHECK(deployment_mode_of(silent.object(), {}, std::nullopt).node == nullptr);
}

TEST_CASE("reads the default mode from the JSON in the ConfigMap") {
  const auto mode =
      default_mode(config_map("    {\"defaultDeploymentMode\": \"RawDeployment\"}\n"));
  REQUIRE(mode);
  CHECK(mode->mode == kStandard);
  CHECK(mode->node != nullptr);
}

TEST_CASE("accepts JSON with indentation, tabs and further keys") {
  const auto pretty =
      default_mode(config_map("    {\n      \"deploymentRolloutStrategy\": {\"maxSurge\": \"1\"},\n"
                              "      \"defaultDeploymentMode\": \"Knative\"\n    }\n"));
  REQUIRE(pretty);
  CHECK(pretty->mode == kKnative);
  const auto tabs =
      default_mode(config_map("    {\n    \t\"defaultDeploymentMode\":\t\"Standard\"\n    }\n"));
  REQUIRE(tabs);
  CHECK(tabs->mode == kStandard);
  const auto escaped = default_mode(
      R"({kind: ConfigMap, data: {deploy: "{\n\t\"defaultDeploymentMode\": \"Standard\"\n}"}})");
  REQUIRE(escaped);
  CHECK(escaped->mode == kStandard);
}

TEST_CASE("ignores a ConfigMap without a valid default mode") {
  for (const std::string text :
       {"kind: ConfigMap\n", "kind: ConfigMap\ndata: {}\n", "kind: ConfigMap\ndata: {deploy: {}}\n",
        "kind: ConfigMap\ndata: {deploy: '{}'}\n", "kind: ConfigMap\ndata: {deploy: ''}\n",
        "kind: ConfigMap\ndata: {deploy: '{broken'}\n", "kind: ConfigMap\ndata: {deploy: '[1]'}\n",
        "kind: ConfigMap\ndata: {deploy: '{\"defaultDeploymentMode\": \"raw\"}'}\n",
        "kind: ConfigMap\ndata: {deploy: '{\"defaultdeploymentmode\": \"Standard\"}'}\n"}) {
    CAPTURE(text);
    CHECK_FALSE(default_mode(text));
  }
}

}  // namespace cnsched::kserve::deployment_mode_test
