#include "core/workloads/patch.h"
#include "testdata/support.h"

namespace cnsched::patch_test {

/// For each pod of the run, in order, whether it is a patch: "y" or "n".
std::string patches(const std::string& text) {
  const auto workspace = workspace_of({{"a.yaml", text}});
  return joined(
      scope_of(*workspace).workloads(),
      [](const Workload& pod) { return is_patch(pod, *pod.scope) ? "y" : "n"; }, "");
}

std::string server(std::string_view spec) { return manifest("Server", "name: a", spec); }

TEST_CASE("treats a predictor without a model as a patch if another object has its name") {
  const std::string whole = inference_service("model: {modelFormat: {name: onnx}}");
  const std::string patch = inference_service("nodeSelector: {pool: gpu}");
  CHECK(patches(patch) == "n");
  CHECK(patches(whole + patch) == "ny");
  CHECK(patches(whole + inference_service("model: {args: [a]}")) == "ny");
  CHECK(patches(whole + whole) == "nn");
  CHECK(patches(whole + inference_service("containers: [{name: a, image: b}]")) == "nn");
}

TEST_CASE("treats every pod of a patch as a patch") {
  CHECK(patches(inference_service("model: {modelFormat: {name: onnx}, $patch: replace}")) == "y");
  CHECK(patches(server("{serverConfig: mlserver, podSpec: {$patch: replace}}")) == "y");
}

TEST_CASE("a Server without its required serverConfig is a patch") {
  CHECK(patches(server("{replicas: 1}")) == "y");
  CHECK(patches(server("{serverConfig: mlserver}")) == "n");
}

}  // namespace cnsched::patch_test
