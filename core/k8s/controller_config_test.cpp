#include "core/k8s/controller_config.h"
#include "testdata/support.h"

namespace cnsched::k8s::controller_config_test {

struct Config {
  explicit Config(const std::string& data)
      : parsed("apiVersion: v1\nkind: ConfigMap\ndata:\n" + data), config(parsed.object()) {}

  std::string operator[](std::string_view path) {
    return std::string(config.find(path, arena).text());
  }

  Parsed parsed;
  Arena arena;
  ControllerConfig config;
};

TEST_CASE("finds a setting by its path in the JSON of a key") {
  Config config(R"(  inferenceService: '{"resource": {"cpuLimit": "4"}, "list": ["a", "b"]}')");
  CHECK(config["inferenceService/resource/cpuLimit"] == "4");
  CHECK(config["inferenceService/list/1"] == "b");
  CHECK(config["inferenceService/list/2"].empty());
  CHECK(config["inferenceService/resource"].empty());
  CHECK(config["resource/cpuLimit"].empty());
}

TEST_CASE("knows whether there is a setting at or below a path") {
  const Config config("  agent: '{\"image\": \"a\", \"empty\": {}}'\n  agent-old: '{\"cpu\": 1}'");
  CHECK(config.config.has("agent"));
  CHECK(config.config.has("agent/image"));
  CHECK_FALSE(config.config.has("agent/empty"));
  CHECK_FALSE(config.config.has("agen"));
  CHECK_FALSE(config.config.has("agent/image/x"));
}

TEST_CASE("completes resources with what controllers ship") {
  Config config("  agent: '{\"cpuLimit\": \"4\", \"memoryRequest\": \"2Gi\"}'");
  const yaml::Node& resources =
      config.config.resources("agent", config.parsed.root(), config.arena);
  CHECK(compact(resources) ==
        R"({"limits":{"cpu":"4","memory":"1Gi"},"requests":{"cpu":"100m","memory":"2Gi"}})");
}

TEST_CASE("gives a setting the span of the ConfigMap's value") {
  Config config("  agent: '{\"image\": \"a\"}'");
  const yaml::Node& image = config.config.find("agent/image", config.arena);
  CHECK(image.made);
  CHECK(config.parsed.at(image.span) == "'{\"image\": \"a\"}'");
}

TEST_CASE("assumes shipped settings only without a ConfigMap") {
  Arena arena;
  const ControllerConfig none;
  CHECK_FALSE(none.is_known());
  CHECK(none.find_or("agent/image", "shipped", arena).text() == "shipped");
  Config config("  agent: '{}'");
  CHECK(config.config.is_known());
  CHECK(config.config.find_or("agent/image", "shipped", config.arena).is_missing());
}

TEST_CASE("ignores the key _example, broken JSON and values that are not strings") {
  Config config(
      "  _example: '{\"a\": \"b\"}'\n  broken: '{\"a\": '\n  list: [1]\n  deep: '[[[[[[[1]]]]]]]'");
  CHECK(config["_example/a"].empty());
  CHECK(config["broken/a"].empty());
  CHECK(config["list/0"].empty());
  CHECK(config["deep/0/0/0/0/0/0/0"].empty());
}

}  // namespace cnsched::k8s::controller_config_test
