#include "core/sim/placement.h"
#include "testdata/scenario.h"

namespace cnsched::sim::placement_test {

/// A NodePool of Karpenter for machines of a family.
std::string pool_of(std::string_view name, std::string_view family, std::string_view spec = "") {
  return fmt::format(
      "---\n{{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {{name: {}}}, spec: "
      "{{template: {{spec: {{requirements: [{{key: karpenter.k8s.aws/instance-family, operator: "
      "In, values: [{}]}}]}}}}{}{}}}}}\n",
      name, family, spec.empty() ? "" : ", ", spec);
}

/// A Deployment whose pods request so many GPUs.
std::string replicas(std::string_view name, int count, int gpus, std::string_view spec = "") {
  return fmt::format(
      "---\n{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {0}, namespace: ml}}, spec: "
      "{{replicas: {1}, selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: "
      "b}}}}, spec: {{containers: [{{name: c, image: i, resources: {{limits: {{nvidia.com/gpu: "
      "{2}}}}}}}]{3}{4}}}}}}}}}\n",
      name, count, gpus, spec.empty() ? "" : ", ", spec);
}

/// "3/4 gpu (g6.xlarge)": how many replicas of the first workload are placed, and the nodes by
/// type.
std::string placed(const std::string& facts, const std::string& manifests) {
  const Scenario scenario(facts, manifests);
  Autoscalers autoscalers(scenario.simulation());
  const Placements placements = place_all(scenario.simulation(), autoscalers);
  std::string text;
  for (const Placement& of : placements.of_workload) {
    text += fmt::format("{}{}/{}", text.empty() ? "" : " ", of.nodes.size(), of.replicas);
  }
  for (const auto& [index, counts] : placements.nodes) {
    for (const NodeCount& count : counts) {
      text += fmt::format(", {} {}->{}", count.type, count.before, count.after);
    }
  }
  return text;
}

std::string deployment_of(const std::string& name, int replicas, int cpu,
                          const std::string& more = "") {
  return fmt::format(
      "---\n{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {0}, namespace: ml}}, spec: "
      "{{replicas: {1}, selector: {{matchLabels: {{app: {0}}}}}, template: {{metadata: {{labels: "
      "{{app: {0}}}}}, spec: {{{3}containers: [{{name: c, resources: {{requests: {{cpu: "
      "{2}}}}}}}]}}}}}}}}\n",
      name, replicas, cpu, more);
}

TEST_CASE("adds nodes for replicas until the limit of the pool is used up") {
  CHECK(placed(pool_of("gpu", "g6"), replicas("llm", 3, 1)) == "3/3, g6.xlarge 0->3");
  CHECK(placed(pool_of("gpu", "g6", "limits: {nvidia.com/gpu: 2}"), replicas("llm", 3, 1)) ==
        "2/3, g6.xlarge 0->2");
  CHECK(placed(pool_of("gpu", "g6", "limits: {nodes: 1}"), replicas("llm", 3, 1)) ==
        "1/3, g6.xlarge 0->1");
}

TEST_CASE("continues with the pool of the next weight when the first one is full") {
  CHECK(placed(pool_of("first", "g6", "weight: 9, limits: {nvidia.com/gpu: 1}") +
                   pool_of("second", "g5"),
               replicas("llm", 3, 1)) == "3/3, g5.xlarge 0->2, g6.xlarge 0->1");
}

TEST_CASE("packs pods on nodes that exist, then on nodes that were added") {
  const std::string node = test::node("gpu-1", "node.kubernetes.io/instance-type: g6.12xlarge", "",
                                      "cpu: 40, memory: 90Gi, pods: 50, nvidia.com/gpu: 2");
  CHECK(placed(node + pool_of("gpu", "g6"), replicas("llm", 2, 1)) == "2/2");
  CHECK(placed(node + pool_of("gpu", "g6"), replicas("llm", 3, 1)) ==
        "3/3, g6.12xlarge 1->1, g6.xlarge 0->1");
  CHECK(placed(pool_of("gpu", "g6"), replicas("a", 1, 3) + replicas("b", 1, 1)) ==
        "1/1 1/1, g6.12xlarge 0->1");
}

TEST_CASE("pods that require different labels do not share a new node") {
  const auto in_zone = [](std::string_view name, std::string_view zone) {
    return replicas(name, 1, 1,
                    fmt::format("nodeSelector: {{karpenter.k8s.aws/instance-gpu-count: '4', "
                                "topology.kubernetes.io/zone: {}}}",
                                zone));
  };
  CHECK(placed(pool_of("gpu", "g6"), in_zone("a", "z1") + in_zone("b", "z1")) ==
        "1/1 1/1, g6.12xlarge 0->1");
  CHECK(placed(pool_of("gpu", "g6"), in_zone("a", "z1") + in_zone("b", "z2")) ==
        "1/1 1/1, g6.12xlarge 0->2");
}

TEST_CASE("says why no further node is added") {
  const Scenario scenario(pool_of("gpu", "g6", "limits: {nvidia.com/gpu: 1}"),
                          replicas("llm", 2, 1));
  Autoscalers autoscalers(scenario.simulation());
  const Placements placements = place_all(scenario.simulation(), autoscalers);
  const std::string& event = placements.of_workload.at(0).event;
  CHECK(event == "NodePool 'gpu': limit nvidia.com/gpu 1 is used up");
  CHECK(placements.of_workload.at(0).types.begin()->second == "g6.xlarge");
}

TEST_CASE("replicas evict pods of lower priority, also those that were just placed") {
  const std::string facts =
      "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: "
      "100}\n" +
      test::node("a") + running_pod("w", "a", "", "priority: 1, resources: {requests: {cpu: 2}}");
  const test::Scenario scenario(
      facts, deployment_of("low", 2, 1) + deployment_of("high", 4, 1, "priorityClassName: high, ") +
                 deployment_of("late", 1, 1));
  const std::vector<Placement> placements = scenario.placements();
  REQUIRE(placements.size() == 3);
  CHECK(placements[0].nodes.empty());
  CHECK(placements[0].why_incomplete() == "2 are evicted for Deployment 'high'");
  CHECK(placements[0].evictions.empty());
  CHECK(placements[1].is_complete());
  std::vector<std::string_view> victims;
  for (const Eviction& eviction : placements[1].evictions) {
    for (const Victim& victim : eviction.victims) victims.push_back(victim.name);
  }
  CHECK(victims == std::vector<std::string_view>{"low", "low", "w"});
  CHECK(placements[2].event ==
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 "
        "nodes are available: 1 No preemption victims found for incoming pod.");
}

TEST_CASE(
    "replicas evict pods before autoscalers see them, and get new nodes if that is too little") {
  const std::string facts =
      "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: "
      "100}\n" +
      test::node("a") + running_pod("w", "a", "", "priority: 1, resources: {requests: {cpu: 3}}") +
      pool_of("gpu", "g6");
  CHECK(placed(facts, deployment_of("high", 2, 3, "priorityClassName: high, ")) ==
        "2/2, g6.xlarge 0->1, unknown type 1->1");
}

TEST_CASE("replicas that are not placed within the steps of the run are unknown") {
  const auto steps = std::make_shared<Steps>(200'000);
  const test::Scenario scenario(
      test::node("a", "", "", "cpu: 1000, memory: 1Gi, pods: 1000"),
      deployment_of("one", 1, 1) + deployment_of("many", 900, 1) + deployment_of("late", 1, 1),
      {.steps = steps});
  const std::vector<Placement> placements = scenario.placements();
  CHECK(placements[0].is_complete());
  CHECK_FALSE(placements[0].is_unknown());
  CHECK(placements[1].is_unknown());
  CHECK(placements[1].nodes.size() > 10);
  CHECK(placements[1].nodes.size() < 50);
  CHECK(placements[1].why_incomplete() ==
        "the others are unknown: the 200000 steps of the run do not suffice (--max-steps permits "
        "more)");
  CHECK(placements[2].is_unknown());
  CHECK(placements[2].nodes.empty());
  CHECK(steps->were_spent());
  // Questions that follow still have answers.
  CHECK_FALSE(steps->are_spent());
}

TEST_CASE("what does not fit within the steps does not fit, however many there are") {
  const test::Scenario scenario(test::node("a", "", "", "cpu: 2, memory: 1Gi, pods: 1000"),
                                deployment_of("many", 2'147'483'647, 1));
  const std::vector<Placement> placements = scenario.placements();
  CHECK_FALSE(placements[0].is_unknown());
  CHECK(placements[0].nodes.size() == 2);
}

TEST_CASE("a group that is not placed within the steps of the run is unknown") {
  const std::string pods =
      "---\n{apiVersion: serving.kserve.io/v1alpha1, kind: LLMInferenceService, metadata: {name: "
      "l, "
      "namespace: ml}, spec: {model: {uri: 'hf://a/b'}, replicas: 900, template: {containers: "
      "[{name: main}]}, worker: {containers: [{name: main}]}, parallelism: {pipeline: 2}}}\n";
  const test::Scenario scenario(test::node("a", "", "", "cpu: 9000, memory: 9000Gi, pods: 9000"),
                                pods, {.steps = std::make_shared<Steps>(200'000)});
  const std::vector<Placement> placements = scenario.placements();
  REQUIRE(placements.size() == 2);
  for (const Placement& each : placements) {
    CHECK(each.is_unknown());
    CHECK(each.placed_groups > 5);
    CHECK(std::ssize(each.nodes) == each.placed_groups);
  }
}

}  // namespace cnsched::sim::placement_test
