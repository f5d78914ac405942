#include "core/sim/gang.h"
#include "core/sim/placement.h"
#include "testdata/llm_pods.h"
#include "testdata/scenario.h"

namespace cnsched::sim::gang_test {

std::string gpu_node(const std::string& name, int gpus) {
  return node(name, "", "",
              fmt::format("cpu: 64, memory: 256Gi, pods: 100, nvidia.com/gpu: {}", gpus));
}

std::string gpus(int count) {
  return fmt::format(
      "containers: [{{name: main, image: i, resources: {{limits: {{nvidia.com/gpu: {0}}}}}}}]",
      count);
}

/// An LLMInferenceService with groups of a leader and workers.
std::string service(int replicas, int group_size, int each) {
  return llm_service(
      fmt::format("{{replicas: {0}, template: {{{2}}}, worker: {{{2}}}, parallelism: {{pipeline: "
                  "{1}}}}}",
                  replicas, group_size, gpus(each)));
}

/// "2 of 3: why" for each workload that is placed.
/// Without the text about preemption.
std::string placed(const Scenario& scenario) {
  std::string text;
  for (const Placement& placement : scenario.placements()) {
    if (placement.replicas == 0) continue;
    text += fmt::format("{}{} of {}", text.empty() ? "" : "\n", placement.nodes.size(),
                        placement.replicas);
    if (placement.is_complete()) continue;
    const std::string why = placement.why_incomplete();
    text += ": " + why.substr(0, why.find(" no new claims to deallocate"));
  }
  return text;
}

std::string in_group(const std::string& kind, const std::string& name, int count, int each,
                     const std::string& group) {
  return fmt::format(
      "---\n{{apiVersion: apps/v1, kind: {}, metadata: {{name: {}, namespace: ml}}, spec: "
      "{{replicas: {}, template: {{spec: {{schedulingGroup: {{podGroupName: {}}}, {}}}}}}}}}\n",
      kind, name, count, group, gpus(each));
}

std::string pod_group(const std::string& name, int least) {
  return fmt::format(
      "---\n{{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {{name: {}, "
      "namespace: ml}}, spec: {{schedulingPolicy: {{gang: {{minCount: {}}}}}}}}}\n",
      name, least);
}

TEST_CASE("a leader and its workers are a group") {
  const Scenario scenario(gpu_node("a", 8), service(3, 4, 1));
  const std::vector<Gang> gangs = gangs_of(scenario.simulation());
  REQUIRE(gangs.size() == 1);
  CHECK(gangs[0].groups == 3);
  CHECK(gangs[0].pods() == 4);
  CHECK(gangs[0].members.size() == 2);
}

TEST_CASE("a group is placed only if all of its pods find room") {
  const Scenario scenario(gpu_node("a", 4) + gpu_node("b", 3), service(3, 4, 1));
  const std::string why =
      "group 2 of 3 finds room for 3 of 4 pods: no node for worker 'llama-kserve-mn': 0/2 nodes "
      "are available: 2 Insufficient nvidia.com/gpu.";
  CHECK(placed(scenario) == "1 of 3: " + why + "\n3 of 9: " + why);
  const std::vector<Placement> placements = scenario.placements();
  CHECK(placements[0].groups == 3);
  CHECK(placements[0].placed_groups == 1);
  CHECK(has(placements[0].note, "one by one"));
}

TEST_CASE("an incomplete group leaves its room to others") {
  const std::string single = fmt::format(
      "---\n{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web, namespace: "
      "ml}}, spec: {{replicas: 3, template: {{spec: {{{}}}}}}}}}\n",
      gpus(1));
  const Scenario scenario(gpu_node("a", 3), service(1, 4, 1) + single);
  CHECK(placed(scenario).ends_with("\n3 of 3"));
}

TEST_CASE("a group of one object whose leader finds no node counts its workers") {
  const Scenario scenario(gpu_node("a", 2),
                          llm_service("{template: {nodeSelector: {x: y}, " + gpus(1) +
                                      "}, worker: {" + gpus(1) + "}, parallelism: {pipeline: 3}}"));
  CHECK(placed(scenario).starts_with(
      "0 of 1: the group finds room for 2 of 3 pods: no node for leader 'llama-kserve-mn': 0/1 "
      "nodes are available: 1 node(s) didn't match"));
}

TEST_CASE("autoscaled nodes are added for groups") {
  const Scenario scenario(node_pool("pool", "pool: gpu"), service(2, 2, 0));
  CHECK(gangs_of(scenario.simulation()).size() == 1);
  CHECK_NOTHROW(scenario.placements());
}

TEST_CASE("the pods of a PodGroup need room for its minimum at once") {
  const std::string facts = gpu_node("a", 4) + pod_group("train", 5);
  const std::string pods =
      in_group("Deployment", "x", 2, 1, "train") + in_group("StatefulSet", "y", 3, 1, "train");
  const std::string why =
      "PodGroup 'train' finds room for 4 of 5 pods: no node for StatefulSet 'y': 0/1 nodes are "
      "available: 1 Insufficient nvidia.com/gpu.";
  CHECK(placed(Scenario(facts, pods)) == "0 of 2: " + why + "\n0 of 3: " + why);
  CHECK(placed(Scenario(gpu_node("a", 5) + pod_group("train", 5), pods)) == "2 of 2\n3 of 3");
  CHECK(placed(Scenario(gpu_node("a", 4) + pod_group("train", 3), pods)) ==
        "2 of 2\n2 of 3: PodGroup 'train' finds room for 4 of 5 pods and needs 3: no node for "
        "StatefulSet 'y': 0/1 nodes are available: 1 Insufficient nvidia.com/gpu.");
  CHECK(placed(Scenario(gpu_node("a", 9) + pod_group("train", 6), pods))
            .starts_with("0 of 2: PodGroup 'train' waits for 6 pods, but the manifests create only "
                         "5"));
}

TEST_CASE("without their PodGroup, pods are placed one by one") {
  CHECK(placed(Scenario(gpu_node("a", 1), in_group("Deployment", "x", 2, 1, "train")))
            .starts_with("1 of 2: the next one fits nowhere"));
}

TEST_CASE("a group whose pods a quota rejects is not placed") {
  const std::string quota =
      "---\n{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: ml}, spec: {hard: "
      "{pods: 5}}, status: {hard: {pods: 5}, used: {pods: 0}}}\n";
  CHECK(placed(Scenario(gpu_node("a", 64) + quota, service(2, 4, 1)))
            .starts_with("1 of 2: group 2 of 2 finds room for 1 of 4 pods: a pod of worker "
                         "'llama-kserve-mn' is not created: Error creating: pods "));
}

TEST_CASE("replicas evict pods of a group, and a group evicts pods") {
  const std::string facts =
      "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: "
      "100}\n" +
      gpu_node("a", 2) + gpu_node("b", 2);
  const auto high = [](int count) {
    return fmt::format(
        "---\n{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: high, namespace: ml}}, "
        "spec: {{replicas: {}, template: {{spec: {{priorityClassName: high, {}}}}}}}}}\n",
        count, gpus(2));
  };
  CHECK(placed(Scenario(facts, service(1, 2, 2) + high(1))) ==
        "0 of 1: 1 is evicted for Deployment 'high'\n1 of 1\n1 of 1");
  const std::string low = fmt::format(
      "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: w, namespace: ml}}, spec: {{nodeName: "
      "a, "
      "priority: -1, containers: [{{name: c, resources: {{requests: {{nvidia.com/gpu: 2}}}}}}]}}, "
      "status: {{phase: Running}}}}\n");
  const Scenario scenario(facts + low, service(1, 2, 2));
  CHECK(placed(scenario) == "1 of 1\n1 of 1");
  CHECK(scenario.placements()[0].evictions.size() + scenario.placements()[1].evictions.size() == 1);
}

}  // namespace cnsched::sim::gang_test
