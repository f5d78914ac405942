#include "core/sim/placement.h"

#include "testdata/scenario.h"

namespace cnsched::sim {

namespace {

std::string deployment_of(const std::string& name, int replicas, int cpu,
                          const std::string& more = "") {
  return fmt::format(
      "---\n{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {0}, namespace: ml}}, spec: "
      "{{replicas: {1}, selector: {{matchLabels: {{app: {0}}}}}, template: {{metadata: {{labels: "
      "{{app: {0}}}}}, spec: {{{3}containers: [{{name: c, resources: {{requests: {{cpu: "
      "{2}}}}}}}]}}}}}}}}\n",
      name, replicas, cpu, more);
}

}  // namespace

TEST_CASE("replicas evict pods of lower priority, also those that were just placed") {
  const std::string facts =
      "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: "
      "100}\n" +
      test::node("a") + test::running("w", "a", "", "priority: 1, resources: {requests: {cpu: 2}}");
  const test::Scenario scenario(
      facts, deployment_of("low", 2, 1) + deployment_of("high", 4, 1, "priorityClassName: high, ") +
                 deployment_of("late", 1, 1));
  const std::vector<Placement> placements = place_all(scenario.simulation());
  REQUIRE(placements.size() == 3);
  CHECK(placements[0].is_complete());
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

}  // namespace cnsched::sim
