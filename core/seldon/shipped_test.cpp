#include "core/seldon/shipped.h"

#include <doctest/doctest.h>

namespace cnsched::seldon {

TEST_CASE("Seldon ships two ServerConfigs, whose model servers are called like them") {
  using Names = std::vector<std::string_view>;
  CHECK(shipped_containers("mlserver") == Names{"rclone", "agent", "mlserver"});
  CHECK(shipped_containers("triton") == Names{"rclone", "agent", "triton"});
  CHECK(shipped_containers("Triton").empty());
  CHECK(shipped_containers("").empty());
}

TEST_CASE("components of Seldon's SeldonConfig are not called like their containers") {
  CHECK(shipped_component_container("seldon-envoy") == "envoy");
  CHECK(shipped_component_container("hodometer") == "hodometer");
  CHECK(shipped_component_container("envoy").empty());
  CHECK(shipped_component_container("").empty());
}

}  // namespace cnsched::seldon
