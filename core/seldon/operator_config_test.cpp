#include "core/seldon/operator_config.h"
#include "core/seldon/shipped.h"
#include "testdata/support.h"

namespace cnsched::seldon::operator_config_test {

/// A `seldon-config` whose key `predictor_servers` is `servers`.
struct Config {
  explicit Config(const std::string& servers)
      : parsed("apiVersion: v1\nkind: ConfigMap\ndata:\n  predictor_servers: '" + servers + "'"),
        settings(parsed.object()),
        config(settings, arena) {}

  Parsed parsed;
  Arena arena;
  k8s::ControllerConfig settings;
  OperatorConfig config;
};

/// The entry of a server for the protocol `seldon`.
std::string server(const std::string& implementation, const std::string& image,
                   const std::string& version) {
  return "\"" + implementation + "\": {\"protocols\": {\"seldon\": {\"image\": \"" + image +
         "\", \"defaultImageVersion\": \"" + version + "\"}}}";
}

std::string servers(const std::string& registry, const std::string& version,
                    const std::string& proxy_version) {
  return "{" + server("SKLEARN_SERVER", registry + "sklearnserver", version) + ", " +
         server("XGBOOST_SERVER", registry + "xgboostserver", version) + ", " +
         server("MLFLOW_SERVER", registry + "mlflowserver", version) + ", " +
         server("TENSORFLOW_SERVER", registry + "tfserving-proxy", proxy_version) + "}";
}

TEST_CASE("takes a server's image by its protocol, of which 'v2' and 'kfserving' are one") {
  const Config servers(
      R"({"A": {"protocols": {"seldon": {"image": "a", "defaultImageVersion": "1"},)"
      R"( "v2": {"image": "b"}}}, "B": {"protocols": {"kfserving": {"image": "c"}}}})");
  const OperatorConfig& config = servers.config;
  CHECK(config.server_image("A", "").text() == "a:1");
  CHECK(config.server_image("A", "seldon").text() == "a:1");
  CHECK(config.server_image("A", "v2").text() == "b");
  CHECK(config.server_image("A", "kfserving").text() == "b");
  CHECK(config.server_image("B", "v2").text() == "c");
  CHECK(config.server_image("A", "tensorflow").is_missing());
  CHECK(config.server_image("C", "").is_missing());
  CHECK(config.has_server("A"));
  CHECK_FALSE(config.has_server("C"));
  CHECK(servers.parsed.at(config.server_image("A", "").span).starts_with("'{\"A\""));
}

TEST_CASE("knows no server without the ConfigMap's key") {
  const k8s::ControllerConfig none;
  Arena arena;
  CHECK_FALSE(OperatorConfig(none, arena).has_servers());
  CHECK_FALSE(OperatorConfig(none, arena).has_explainers());
  CHECK(Config("{\"A\": {\"protocols\": {\"v2\": {\"image\": \"b\"}}}}").config.has_servers());
}

TEST_CASE("derives the orchestrator's image from the servers that Seldon builds, if they agree") {
  const auto image = [](const std::string& text) {
    const Config config(text);
    return std::string(config.config.orchestrator_image().text());
  };
  CHECK(image(servers("seldonio/", "1.18.2", "1.18.2")) == "seldonio/seldon-core-executor:1.18.2");
  CHECK(image(servers("mirror.example.com:5000/seldonio/", "1.18.2", "1.18.2")) ==
        "mirror.example.com:5000/seldonio/seldon-core-executor:1.18.2");
  CHECK(image(servers("seldonio/", "1.18.2", "1.17.0")).empty());
  CHECK(image(servers("seldonio/own-", "1.18.2", "1.18.2")).empty());
  CHECK(image(servers("seldonio/", "", "")).empty());
  CHECK(image("{" + server("SKLEARN_SERVER", "seldonio/sklearnserver", "1.18.2") + "}").empty());
}

TEST_CASE("knows the model servers of Seldon's two ServerConfigs") {
  using Names = std::vector<std::string_view>;
  CHECK(shipped_containers("mlserver") == Names{"rclone", "agent", "mlserver"});
  CHECK(shipped_containers("triton") == Names{"rclone", "agent", "triton"});
  CHECK(shipped_containers("Triton").empty());
  CHECK(shipped_containers("").empty());
}

TEST_CASE("knows the capabilities of the Servers that Seldon ships") {
  for (const std::string_view name : kShippedServers) {
    CAPTURE(name);
    const auto offered = shipped_capabilities(name);
    CHECK(std::ranges::find(offered, name) != offered.end());
    CHECK(std::ranges::find(offered, "python") != offered.end());
  }
  CHECK(shipped_capabilities("mlserver").size() == 10);
  CHECK(shipped_capabilities("triton").size() == 9);
  CHECK(shipped_capabilities("Triton").empty());
  CHECK(is_shipped_capability("spark-mlib"));
  CHECK(is_shipped_capability("onnx"));
  CHECK_FALSE(is_shipped_capability("spark-mllib"));
}

TEST_CASE("knows that pods of Seldon's ServerConfigs do not run as root") {
  CHECK(shipped_security("runAsNonRoot") == "true");
  CHECK(shipped_security("runAsUser") == "1000");
  CHECK(shipped_security("fsGroup").empty());  // differs between Helm and kustomize
}

TEST_CASE("knows the containers of Seldon's SeldonConfig") {
  CHECK(shipped_component_container("seldon-envoy") == "envoy");
  CHECK(shipped_component_container("hodometer") == "hodometer");
  CHECK(shipped_component_container("envoy").empty());
  CHECK(shipped_component_container("").empty());
  for (const std::string_view component : shipped_components()) {
    CHECK_FALSE(shipped_component_container(component).empty());
  }
}

TEST_CASE("knows the container items of Seldon's ServerConfigs") {
  CHECK(is_shipped_item("triton", "", "volumes", "dshm"));
  CHECK_FALSE(is_shipped_item("mlserver", "", "volumes", "dshm"));
  CHECK(is_shipped_item("mlserver", "agent", "volumeMounts", "/mnt/agent"));
  CHECK_FALSE(is_shipped_item("mlserver", "triton", "volumeMounts", "/mnt/agent"));
  CHECK_FALSE(is_shipped_item("own", "", "volumes", "config-volume"));
  CHECK(shipped_claim("mlserver") == "mlserver-models");
  CHECK(shipped_claim("own").empty());
}

}  // namespace cnsched::seldon::operator_config_test
