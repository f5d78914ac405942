#include "core/sim/resource_quota.h"
#include "core/sim/placement.h"
#include "testdata/scenario.h"

namespace cnsched::sim::resource_quota_test {

std::string quota(const std::string& hard, const std::string& used, const std::string& more = "") {
  return fmt::format(
      "---\n{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: q, namespace: ml}}, spec: "
      "{{hard: {{{0}}}{2}}}, status: {{hard: {{{0}}}, used: {{{1}}}}}}}\n",
      hard, used, more);
}

std::string asks(const std::string& resources) {
  return test::pod(
      fmt::format("containers: [{{name: c, image: i, resources: {{{}}}}}]", resources));
}

std::string replicas(const std::string& name, int count, const std::string& requests) {
  return fmt::format(
      "---\n{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {}, namespace: ml}}, spec: "
      "{{replicas: {}, template: {{spec: {{containers: [{{name: c, image: i, resources: "
      "{{requests: "
      "{{{}}}}}}}]}}}}}}}}\n",
      name, count, requests);
}

const std::string kNode = node("a", "", "", "cpu: 40, memory: 80Gi, pods: 100, nvidia.com/gpu: 8");

/// Why the quota rejects the pod; "" if it does not.
std::string rejected(const std::string& quotas, const std::string& pod) {
  return Scenario(kNode + quotas, pod).pod().not_created.reason;
}

TEST_CASE("a quota without room rejects a pod in the words of the API server") {
  CHECK(
      Scenario(kNode + quota("requests.cpu: 4", "requests.cpu: 3500m"), asks("requests: {cpu: 1}"))
          .event() ==
      "pods \"new\" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: "
      "requests.cpu=3500m, limited: requests.cpu=4");
  CHECK(rejected(quota("requests.cpu: 4", "requests.cpu: 3"), asks("requests: {cpu: 1}")) == "");
  CHECK(rejected(quota("requests.nvidia.com/gpu: 4", "requests.nvidia.com/gpu: 4"),
                 asks("limits: {nvidia.com/gpu: 1}")) ==
        "exceeded quota: q, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=4, "
        "limited: requests.nvidia.com/gpu=4");
  CHECK(rejected(quota("pods: 3, count/pods: 3, limits.memory: 2Gi",
                       "pods: 3, count/pods: 3, limits.memory: 1Gi"),
                 asks("limits: {memory: 2048Mi}")) ==
        "exceeded quota: q, requested: count/pods=1,limits.memory=2Gi,pods=1, used: "
        "count/pods=3,limits.memory=1Gi,pods=3, limited: count/pods=3,limits.memory=2Gi,pods=3");
  CHECK(rejected(quota("services: 1, requests.storage: 1Gi", "services: 1"), asks("")) == "");
}

TEST_CASE("every container must set the cpu and memory of a quota") {
  CHECK(rejected(quota("limits.cpu: 4, requests.memory: 4Gi", "limits.cpu: 0, requests.memory: 0"),
                 test::pod("containers: [{name: b}, {name: a, resources: {limits: {cpu: 1}}}]")) ==
        "failed quota: q: must specify limits.cpu for: b; requests.memory for: a,b");
  CHECK(rejected(quota("limits.cpu: 4", "limits.cpu: 0"),
                 test::pod("resources: {limits: {cpu: 1}}, containers: [{name: c}]")) == "");
  CHECK(rejected(quota("requests.ephemeral-storage: 1Gi", "requests.ephemeral-storage: 0"),
                 asks("")) == "");
  const std::string defaults =
      "---\n{apiVersion: v1, kind: LimitRange, metadata: {name: l, namespace: ml}, spec: {limits: "
      "[{type: Container, default: {cpu: 1}}]}}\n";
  CHECK(rejected(quota("limits.cpu: 4", "limits.cpu: 0") + defaults, asks("")) == "");
}

TEST_CASE("a quota counts only the pods of its scopes") {
  const auto scoped = [](const std::string& scope, const std::string& pod) {
    return !rejected(quota("pods: 0", "pods: 0", ", " + scope), pod).empty();
  };
  const std::string best_effort = asks("");
  const std::string burstable = asks("requests: {cpu: 1}");
  const std::string job = test::pod("activeDeadlineSeconds: 5, containers: [{name: c}]");
  CHECK(scoped("scopes: [BestEffort]", best_effort));
  CHECK_FALSE(scoped("scopes: [BestEffort]", burstable));
  CHECK(scoped("scopes: [NotBestEffort]", burstable));
  CHECK(scoped("scopes: [Terminating]", job));
  CHECK(scoped("scopes: [NotTerminating]", burstable));
  CHECK_FALSE(scoped("scopes: [NotTerminating, NotBestEffort]", job));
  const auto classes = [](const std::string& op, const std::string& values = "[]") {
    return "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: " + op +
           ", values: " + values + "}]}";
  };
  const std::string high = test::pod("priorityClassName: high, containers: [{name: c}]");
  CHECK(scoped(classes("In", "[high]"), high));
  CHECK_FALSE(scoped(classes("In", "[low]"), high));
  CHECK(scoped(classes("NotIn", "[low]"), high));
  CHECK(scoped(classes("Exists"), high));
  CHECK_FALSE(scoped(classes("Exists"), best_effort));
  CHECK(scoped(classes("DoesNotExist"), best_effort));
  const std::string across = test::pod(
      "containers: [{name: c}], affinity: {podAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
      "namespaceSelector: {}}]}}");
  CHECK(scoped("scopes: [CrossNamespacePodAffinity]", across));
  CHECK_FALSE(scoped("scopes: [CrossNamespacePodAffinity]", best_effort));
  CHECK_FALSE(scoped("scopes: [Unheard]", best_effort));
}

TEST_CASE("the PriorityClass of a pod without one is the global default") {
  const std::string quotas =
      quota("pods: 0", "pods: 0",
            ", scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: "
            "[usual]}]}");
  const std::string usual =
      "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, "
      "globalDefault: true, value: 5}\n";
  CHECK(rejected(quotas, asks("")) == "");
  CHECK(rejected(quotas + usual, asks("")) != "");
}

TEST_CASE("what a quota without status has in use comes from the running pods") {
  const std::string fresh =
      "---\n{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: ml}, spec: {hard: "
      "{requests.cpu: 4}}}\n";
  const std::string running =
      "---\n{apiVersion: v1, kind: Pod, metadata: {name: r, namespace: ml}, spec: {nodeName: a, "
      "containers: [{name: c, resources: {requests: {cpu: 3}}}]}, status: {phase: Running}}\n";
  CHECK(rejected(fresh + running, asks("requests: {cpu: 2}")) ==
        "exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=3, limited: "
        "requests.cpu=4");
  CHECK(Scenario(kNode + fresh + running, asks("requests: {cpu: 1}")).on("a") == "ok");
  CHECK(Scenario(kNode + fresh, asks("requests: {cpu: 1}")).on("a") ==
        "? whether ResourceQuota 'q' has room for the pod (neither its status.used nor the running "
        "Pods are given) is not known");
  CHECK(rejected(fresh, asks("requests: {cpu: 5}")) ==
        "exceeded quota: q, requested: requests.cpu=5, limited: requests.cpu=4");
}

TEST_CASE("the controller of the pod reports the rejection") {
  const std::string full = quota("requests.cpu: 1", "requests.cpu: 1");
  CHECK(Scenario(kNode + full, replicas("web", 1, "cpu: 1")).event() ==
        "Error creating: pods \"web-\" is forbidden: exceeded quota: q, requested: requests.cpu=1, "
        "used: requests.cpu=1, limited: requests.cpu=1");
  const std::string set =
      "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: ml}, spec: "
      "{template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}}";
  CHECK(Scenario(kNode + full, set)
            .event()
            .starts_with("create Pod db-0 in StatefulSet db failed error: pods \"db-0\" is "
                         "forbidden: exceeded quota"));
}

TEST_CASE("says how many of several replicas the quota admits") {
  const Scenario scenario(kNode + quota("requests.cpu: 8", "requests.cpu: 1"),
                          replicas("web", 5, "cpu: 2"));
  CHECK(scenario.on("a") == "ok");
  CHECK(scenario.workload().quota->admitted == 3);
  CHECK(
      scenario.workload().quota_note() ==
      "the ResourceQuotas of the namespace admit 3 of 5 replicas; then: Error creating: pods "
      "\"web-\" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=7, "
      "limited: requests.cpu=8");
}

TEST_CASE("replicas of all workloads use up the quota in order") {
  const Scenario scenario(kNode + quota("requests.cpu: 8", "requests.cpu: 0"),
                          replicas("first", 2, "cpu: 3") + replicas("second", 3, "cpu: 1") +
                              replicas("third", 1, "memory: 1Gi"));
  const std::vector<Placement> placements = scenario.placements();
  CHECK(placements[0].nodes.size() == 2);
  CHECK(placements[1].nodes.size() == 2);
  CHECK(placements[1].why_incomplete() ==
        "the next one is not created: Error creating: pods \"second-\" is forbidden: exceeded "
        "quota: q, requested: requests.cpu=1, used: requests.cpu=8, limited: requests.cpu=8");
  CHECK(has(placements[2].why_incomplete(), "must specify requests.cpu for: c"));
}

TEST_CASE("a pod that is created and finds no node uses the quota") {
  const Scenario scenario(node("small") + quota("requests.cpu: 12", "requests.cpu: 0"),
                          replicas("large", 1, "cpu: 10") + replicas("web", 1, "cpu: 3"));
  const std::vector<Placement> placements = scenario.placements();
  CHECK(placements[0].why_incomplete().find("the next one fits nowhere") == 0);
  CHECK(placements[1].why_incomplete().find("the next one is not created") == 0);
}

TEST_CASE("a huge number of replicas and absurd amounts are counted quickly") {
  const Scenario scenario(kNode + quota("requests.cpu: 1000000", "requests.cpu: 999999"),
                          replicas("web", 2147483647, "cpu: 1n"));
  CHECK(scenario.workload().quota->admitted == 1000);
}

TEST_CASE("the lasting view ignores what is in use") {
  const SimulationOptions lasting{.view = Cluster::View::lasting};
  const std::string full = quota("requests.cpu: 4", "requests.cpu: 4");
  CHECK(Scenario(kNode + full, asks("requests: {cpu: 1}"), lasting).on("a") == "ok");
  CHECK(Scenario(kNode + full, asks("requests: {cpu: 5}"), lasting).pod().not_created.reason ==
        "exceeded quota: q, requested: requests.cpu=5, limited: requests.cpu=4");
  // A LimitRange that is not given may set the request.
  CHECK(Scenario(kNode + full, asks(""), lasting).on("a") == "ok");
  CHECK(Scenario(kNode + full, asks("")).pod().assumptions.size() == 1);
}

}  // namespace cnsched::sim::resource_quota_test
