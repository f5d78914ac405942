#include "core/kserve/runtime.h"

#include <doctest/doctest.h>

#include "testdata/support.h"

namespace cnsched::kserve {

TEST_CASE("a predictor names its runtime within model, or leaves the choice to KServe") {
  const auto named = [](const std::string& predictor) {
    const test::Parsed parsed(predictor);
    return std::string(runtime_name(parsed.root()));
  };
  CHECK(named("model: {runtime: vllm}") == "vllm");
  CHECK(named("model: {modelFormat: {name: onnx}}").empty());
  CHECK(named("triton: {runtime: vllm}").empty());
  CHECK(named("{}").empty());
}

}  // namespace cnsched::kserve
