#include "core/kserve/shipped_runtimes.h"
#include "testdata/support.h"

namespace cnsched::kserve::shipped_runtimes_test {

/// Whether KServe chooses one of its own runtimes for the predictor.
bool is_served(const std::string& predictor) {
  const Parsed parsed(predictor);
  return is_served_by_shipped_runtime(runtime_requirements(parsed.root(), std::nullopt));
}

TEST_CASE("KServe's own runtimes serve formats by version, protocol and number of nodes") {
  CHECK(is_served("sklearn: {}"));
  CHECK(is_served("sklearn: {protocolVersion: v2}"));
  CHECK_FALSE(is_served("sklearn: {protocolVersion: grpc-v1}"));
  CHECK(is_served("model: {modelFormat: {name: xgboost, version: '2'}}"));
  CHECK_FALSE(is_served("model: {modelFormat: {name: xgboost, version: '3'}}"));
  CHECK_FALSE(is_served("model: {modelFormat: {name: Sklearn}}"));
  CHECK(is_served("{model: {modelFormat: {name: huggingface}}, workerSpec: {}}"));
  CHECK_FALSE(is_served("{model: {modelFormat: {name: vLLM}}, workerSpec: {}}"));
  CHECK(is_served("model: {modelFormat: {name: vLLM}, protocolVersion: grpc-v1}"));
}

TEST_CASE("a release ships its own set of runtimes") {
  CHECK(ships_runtime_for("sklearn", std::nullopt));
  CHECK_FALSE(ships_runtime_for("vLLM", std::nullopt));
  CHECK_FALSE(ships_runtime_for("vLLM", Version{0, 19, 0}));
  CHECK(ships_runtime_for("vLLM", Version{0, 20, 0}));
  CHECK_FALSE(ships_runtime_for("keras", Version{0, 20, 0}));
}

TEST_CASE("names of shipped runtimes and formats are sorted and unique") {
  for (const auto names : {shipped_runtime_names(), shipped_formats()}) {
    CHECK(std::ranges::is_sorted(names));
    CHECK(std::ranges::adjacent_find(names) == names.end());
  }
  CHECK(std::ranges::binary_search(shipped_runtime_names(), "kserve-mlserver"));
  CHECK(std::ranges::binary_search(shipped_runtime_names(), "vllm-cuda-runtime"));
}

}  // namespace cnsched::kserve::shipped_runtimes_test

namespace cnsched::kserve::image_tag_test {

std::string tagged(const std::string& image, const std::string& limits, const std::string& version,
                   const std::string& runtime = "kserve-torchserve",
                   const std::string& server_type = "",
                   const std::optional<Version>& release = {}) {
  const Parsed of_runtime(
      manifest("ClusterServingRuntime",
               fmt::format("name: {}, annotations: {{serving.kserve.io/server-type: '{}'}}",
                           runtime, server_type),
               "{}"));
  const Parsed container(fmt::format(
      "{{image: '{}', resources: {{limits: {{{}}}}}, version: '{}'}}", image, limits, version));
  Arena arena;
  const yaml::Node& root = container.root();
  return std::string(
      with_image_tag(root, root["version"], of_runtime.object(), release, arena)["image"].text());
}

TEST_CASE("replaces or adds the image tag for a runtime version") {
  CHECK(tagged("a/b:1", "", "2") == "a/b:2");
  CHECK(tagged("a/b", "", "2") == "a/b:2");
  CHECK(tagged("host:5000/b", "", "2") == "host:5000/b:2");
  CHECK(tagged("host:5000/b:1", "nvidia.com/gpu: 1", "2") == "host:5000/b:2");
  CHECK(tagged("a/b:1@sha256:00", "", "2") == "a/b:1@sha256:00");
}

TEST_CASE("appends -gpu once to the tag of servers with GPU images") {
  CHECK(tagged("a/b:1", "nvidia.com/gpu: 1", "") == "a/b:1-gpu");
  CHECK(tagged("a/b:1-gpu", "nvidia.com/gpu: 1", "") == "a/b:1-gpu");
  const auto with_mig = [](const std::optional<Version>& release) {
    return tagged("a/b:1", "nvidia.com/mig-1g.5gb: 1", "", "kserve-torchserve", "", release);
  };
  CHECK(with_mig({}) == "a/b:1-gpu");
  CHECK(with_mig(Version{0, 16, 0}) == "a/b:1-gpu");
  CHECK(with_mig(Version{0, 15, 2}) == "a/b:1");
  CHECK(tagged("a/b:1", "amd.com/gpu: 1", "") == "a/b:1");
  CHECK(tagged("a/b", "nvidia.com/gpu: 1", "") == "a/b");
  CHECK(tagged("host:5000/b", "nvidia.com/gpu: 1", "") == "host:5000/b");
  CHECK(tagged("", "nvidia.com/gpu: 1", "2").empty());
}

TEST_CASE("identifies the server by the annotation, then by the name") {
  CHECK(tagged("a:1", "nvidia.com/gpu: 1", "", "own") == "a:1");
  CHECK(tagged("a:1", "nvidia.com/gpu: 1", "", "kserve-tritonserver") == "a:1");
  CHECK(tagged("a:1", "nvidia.com/gpu: 1", "", "own", "huggingfaceserver") == "a:1-gpu");
  CHECK(tagged("a:1", "nvidia.com/gpu: 1", "", "kserve-torchserve", "tritonserver") == "a:1");
}

TEST_CASE("uses vLLM's CPU repository without a GPU") {
  CHECK(tagged("a/b:1", "", "", "kserve-vllmserver") == "a/b-cpu:1");
  CHECK(tagged("a/b-cpu:1", "", "", "kserve-vllmserver") == "a/b-cpu:1");
  CHECK(tagged("a/b:1", "nvidia.com/gpu: 1", "", "kserve-vllmserver") == "a/b:1");
  CHECK(tagged("a/b", "", "", "kserve-vllmserver") == "a/b");
}

}  // namespace cnsched::kserve::image_tag_test
