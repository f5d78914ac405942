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
