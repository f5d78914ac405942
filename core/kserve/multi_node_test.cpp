#include "core/kserve/multi_node.h"
#include "testdata/support.h"

namespace cnsched::kserve::multi_node_test {

struct Case {
  std::string head;    ///< the requests of the head's container
  std::string worker;  ///< the requests of the worker's container
  int tensor = 1;
  int pipeline = 1;
  std::string expected;  ///< GPUs of the head, of each worker, and how many workers
};

/// The result in the format of Case::expected, or the error.
std::string counted(const Case& given, const std::string& backend = "ray",
                    const std::string& types = "") {
  const auto pod = [](std::string_view name, std::string_view requests) {
    return fmt::format("containers: [{{name: {}, resources: {{requests: {{{}}}}}}}]", name,
                       requests);
  };
  const Parsed head(pod("kserve-container", given.head));
  const Parsed worker(pod("worker-container", given.worker));
  const Parsed spec(fmt::format(
      "{{workerSpec: {{tensorParallelSize: {}, pipelineParallelSize: {}}}, types: '{}'}}",
      given.tensor, given.pipeline, types));
  const Parsed runtime(manifest("ServingRuntime", "name: a",
                                "{annotations: {multinode/executor-backend: " + backend + "}}"));
  const k8s::Objects objects;
  const k8s::ControllerConfig config;
  Arena arena;
  const yaml::Node& annotation = types.empty() ? yaml::missing_node() : spec.root()["types"];
  const MultiNode result =
      distribute_gpus(head.root(), worker.root(), spec.root()["workerSpec"], runtime.object(),
                      annotation, {objects, {}, {}, config, arena});
  if (!result.error.empty()) return result.error;
  const auto gpus = [](const yaml::Node& of) {
    const yaml::Node& resources = of["containers"].at(0)["resources"];
    CHECK(compact(resources["limits"]) == compact(resources["requests"]));
    return compact(resources["limits"]);
  };
  return fmt::format("{} {} {}", gpus(*result.head), gpus(*result.worker), result.worker_replicas);
}

std::string nvidia(std::string_view head, std::string_view worker, int workers) {
  return fmt::format(R"({{"nvidia.com/gpu":{}}} {{"nvidia.com/gpu":{}}} {})", head, worker,
                     workers);
}

TEST_CASE("divides a model's GPUs among Ray's head and workers by their requests") {
  const std::string one = "nvidia.com/gpu: 1";
  const std::string two = "nvidia.com/gpu: 2";
  const std::string four = "nvidia.com/gpu: 4";
  const std::vector<Case> cases = {
      {two, two, 2, 3, nvidia("2", "2", 2)},   // 6 = 2 + 2 * 2
      {"", two, 2, 3, nvidia("2", "2", 2)},    // the head gets the remainder
      {"", four, 3, 3, nvidia("1", "4", 2)},   // 9 = 1 + 2 * 4
      {"", four, 2, 2, nvidia("4", "0", 0)},   // one node suffices
      {four, one, 2, 2, nvidia("4", "0", 0)},  // the head suffices
      {four, one, 1, 2, nvidia("2", "0", 0)},  // the head gets no more than needed
      {two, "", 4, 2, nvidia("2", "1", 6)},    // workers with one GPU each
      {four, "", 2, 2, nvidia("4", "1", 0)},   // no GPUs remain for workers
      {"", "", 2, 2, nvidia("1", "1", 3)},     // no requests
      {"", "", 1, 1, nvidia("1", "1", 0)},
      {one, two, 2, 2, "the model needs 4 GPUs, but head and workers have 1 + 2"},
  };
  for (const Case& given : cases) {
    CAPTURE(given.head);
    CAPTURE(given.worker);
    CHECK(counted(given) == given.expected);
  }
}

TEST_CASE("runs one node for each pipeline stage") {
  CHECK(counted({"nvidia.com/gpu: 1", "nvidia.com/gpu: 9", 4, 3, ""}, "mp") == nvidia("4", "4", 2));
  CHECK(counted({"", "", 4, 1, ""}, "mp") == nvidia("4", "4", 0));
}

TEST_CASE("writes, but does not count, resource names from the annotation") {
  CHECK(counted({"a/npu: 2", "a/npu: 2", 2, 2, ""}, "ray", R"(["a/npu"])") ==
        R"({"a/npu":1} {"a/npu":1} 3)");
  CHECK(counted({"", "", 1, 2, ""}, "ray", "no JSON [") == nvidia("1", "1", 1));
}

TEST_CASE("does not overflow on huge degrees of parallelism") {
  CHECK(counted({"", "", 2'000'000'000, 2'000'000'000, ""}) ==
        counted({"", "", 100'000, 100'000, ""}));
  CHECK(counted({"", "", -5, 0, ""}) == nvidia("1", "1", 0));
}

}  // namespace cnsched::kserve::multi_node_test
