#include "core/seldon/pod_metadata.h"
#include "testdata/support.h"

namespace cnsched::seldon::pod_metadata_test {

using Names = std::vector<std::string_view>;
const Names kTriton = {"rclone", "agent", "triton"};
TEST_CASE("identifies the model server as the only container that is not a helper") {
  CHECK(main_container(kTriton) == "triton");
  CHECK(main_container({"scheduler"}) == "scheduler");
  CHECK(main_container({"agent", "triton", "exporter"}) == "");
  CHECK(main_container({"agent", "rclone"}) == "");
}

TEST_CASE("finds a container whose name differs in case or separators") {
  CHECK(intended_container("Triton", "gpu", kTriton) == "triton");
  CHECK(intended_container("AGENT", "gpu", kTriton) == "agent");
  CHECK(intended_container("tritn", "gpu", kTriton) == "triton");
  CHECK(intended_container("triton-container", "gpu", kTriton) == "triton");
  CHECK(intended_container("agent-container", "gpu", kTriton) == "agent");
  CHECK(intended_container("tritonserver", "gpu", kTriton) == "triton");
}

TEST_CASE("maps common names of model servers to the model server") {
  for (const std::string_view name : {"mlserver", "kserve-container", "server", "main", "gpu"}) {
    CHECK(intended_container(name, "gpu", kTriton) == "triton");
  }
  CHECK(intended_container("mlserver", "gpu", {"agent", "one", "two"}) == "");
}

TEST_CASE("maps a sidecar's name to no container") {
  for (const std::string_view name :
       {"triton-exporter", "metrics-agent", "rclone-sync", "vllm", "nginx", ""}) {
    CHECK(intended_container(name, "gpu", kTriton) == "");
  }
}

}  // namespace cnsched::seldon::pod_metadata_test
