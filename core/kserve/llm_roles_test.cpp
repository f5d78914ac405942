#include "core/kserve/llm_roles.h"
#include "testdata/support.h"

namespace cnsched::kserve::llm_roles_test {

/// The number of GPUs; 0 if unknown.
std::int64_t gpus(const std::string& settings) {
  const Parsed parsed(settings);
  const auto found = vllm_gpus_per_pod(parsed.root());
  return found ? found->count : 0;
}

TEST_CASE("derives vLLM's GPUs from the tensor parallelism") {
  CHECK(gpus("{parallelism: {tensor: 4}}") == 4);
  CHECK(gpus("{parallelism: {tensor: 4, pipeline: 2}, worker: {}}") == 4);
}

TEST_CASE("multiplies by dataLocal where workers pass it on") {
  CHECK(gpus("{parallelism: {tensor: 2, data: 8, dataLocal: 4}, worker: {}}") == 8);
  CHECK(gpus("{parallelism: {data: 16, dataLocal: 8}, worker: {}}") == 8);
  CHECK(gpus("{parallelism: {tensor: 2, data: 8, dataLocal: 4}}") == 0);
  CHECK(gpus("{parallelism: {tensor: 2, pipeline: 2}}") == 0);
}

TEST_CASE("returns nothing for parallelism that is missing or not a number") {
  CHECK(gpus("{}") == 0);
  CHECK(gpus("{parallelism: {expert: true}, worker: {}}") == 0);
  CHECK(gpus("{parallelism: {tensor: 0}}") == 0);
  CHECK(gpus("{parallelism: {tensor: \"${TP}\"}}") == 0);
  CHECK(gpus("{parallelism: {tensor: 9223372036854775807}}") == 0);
  CHECK(gpus("{parallelism: [1]}") == 0);
}

}  // namespace cnsched::kserve::llm_roles_test
