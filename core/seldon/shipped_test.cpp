#include "core/seldon/shipped.h"
#include "testdata/support.h"

namespace cnsched::seldon::shipped_test {

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

}  // namespace cnsched::seldon::shipped_test
