#include "core/sim/pod.h"

#include "testdata/scenario.h"

namespace cnsched::sim::pod_test {

/// "key:effect:seconds" for each toleration.
std::vector<std::string> shown(const std::vector<k8s::Toleration>& tolerations) {
  std::vector<std::string> all;
  for (const k8s::Toleration& t : tolerations) {
    all.push_back(
        fmt::format("{}:{}:{}", t.key, t.effect, t.seconds ? std::to_string(*t.seconds) : "ever"));
  }
  return all;
}

std::vector<std::string> tolerations(const std::string& list) {
  return shown(
      Scenario("", test::pod("containers: [], tolerations: [" + list + "]")).pod().tolerations);
}

constexpr const char* kNotReady = "node.kubernetes.io/not-ready:NoExecute:300";
constexpr const char* kUnreachable = "node.kubernetes.io/unreachable:NoExecute:300";

/// A RuntimeClass that sets every field.
constexpr const char* kRuntimeClass =
    "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: kata}, handler: kata, "
    "overhead: {podFixed: {cpu: 250m}}, scheduling: {nodeSelector: {kata: 'true'}, tolerations: "
    "[{key: kata, operator: Exists}]}}\n";

TEST_CASE("adds tolerations of five minutes for failed nodes to every pod") {
  using Shown = std::vector<std::string>;
  CHECK(tolerations("") == Shown{kNotReady, kUnreachable});
  CHECK(tolerations("{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, "
                    "tolerationSeconds: 5}") ==
        Shown{"node.kubernetes.io/not-ready:NoExecute:5", kUnreachable});
  CHECK(tolerations("{operator: Exists}") == Shown{"::ever"});
  CHECK(tolerations("{operator: Exists, effect: NoSchedule}") ==
        Shown{":NoSchedule:ever", kNotReady, kUnreachable});
  CHECK(tolerations("{key: node.kubernetes.io/unreachable, effect: NoSchedule}") ==
        Shown{"node.kubernetes.io/unreachable:NoSchedule:ever", kNotReady, kUnreachable});
}

TEST_CASE("ExtendedResourceToleration adds one toleration for each resource, sorted by name") {
  const auto added = [](const std::string& spec) {
    return shown(Scenario("", test::pod(spec)).pod().resource_tolerations);
  };
  using Shown = std::vector<std::string>;
  CHECK(added("initContainers: [{name: i, resources: {limits: {b.com/x: 1}}}], containers: [{name: "
              "c, resources: {limits: {cpu: 1, b.com/x: 1, a.com/x: 0}}}]") ==
        Shown{"a.com/x:NoSchedule:ever", "b.com/x:NoSchedule:ever"});
  CHECK(added("containers: [{name: c, resources: {limits: {cpu: 1, hugepages-2Mi: 2Mi, "
              "x.kubernetes.io/y: 1}}}]")
            .empty());
}

TEST_CASE("a RuntimeClass adds selector, tolerations and overhead") {
  const std::string pod =
      test::pod("runtimeClassName: kata, containers: [{name: c, resources: {requests: {cpu: 1}}}]");
  const std::string taint = "taints: [{key: kata, effect: NoSchedule}]";
  const auto on = [&](const std::string& labels, const std::string& cpu) {
    return Scenario(kRuntimeClass + node("a", labels, taint, "pods: 9, cpu: " + cpu), pod).on("a");
  };
  CHECK(on("kata: 'true'", "1250m") == "ok");
  CHECK(on("kata: 'true'", "1249m") == "Insufficient cpu");
  CHECK(on("", "2") == "node(s) didn't match Pod's node affinity/selector");
}

TEST_CASE("the verdict on a pod with an unknown RuntimeClass is unknown") {
  CHECK(Scenario(node("a"), test::pod("runtimeClassName: kata, containers: []")).on("a") ==
        "? RuntimeClass 'kata' is unknown: it may add a node selector and overhead");
}

TEST_CASE("the API server rejects a pod whose RuntimeClass is missing") {
  const std::string spec = "runtimeClassName: nvidia, containers: []";
  const Scenario scenario(kRuntimeClass + node("a"), test::pod(spec));
  CHECK(scenario.event() ==
        "pods \"new\" is forbidden: pod rejected: RuntimeClass \"nvidia\" not found");
  CHECK(scenario.pod().not_created.in_pod->text() == "nvidia");
  // That of another manifest says nothing about the cluster.
  CHECK(Scenario(node("a"), std::string(kRuntimeClass) + "---\n" + test::pod(spec))
            .on("a")
            .starts_with("? RuntimeClass 'nvidia' is unknown"));
}

TEST_CASE("the verdict on a claim that is not given is unknown") {
  const auto on = [](const std::string& volume) {
    return Scenario(node("a"), test::pod("containers: [], volumes: [{name: v, " + volume + "}]"))
        .on("a");
  };
  const std::string claim = on("persistentVolumeClaim: {claimName: m}");
  CHECK_MESSAGE(claim.starts_with("? PersistentVolumeClaim 'ml/m' is not given"), claim);
  for (const std::string source : {"emptyDir", "configMap", "secret", "hostPath", "nfs", "csi",
                                   "projected", "downwardAPI", "image"}) {
    CAPTURE(source);
    CHECK(on(source + ": {}") == "ok");
  }
}

TEST_CASE("the verdict on resourceClaims and other schedulers is unknown") {
  const std::string claim =
      Scenario(node("a"),
               test::pod("containers: [], resourceClaims: [{name: gpu, resourceClaimName: c}]"))
          .on("a");
  CHECK_MESSAGE(claim.starts_with("? ResourceClaim 'ml/c' is not given"), claim);
  CHECK(Scenario(node("a"), test::pod("containers: [], schedulerName: volcano")).on("a") ==
        "? the rules of scheduler 'volcano', which places the pod, are unknown");
  // The kubelet checks the selector, whoever placed the pod; the scheduler alone decides the rest.
  const std::string scheduled = "schedulerName: volcano, ";
  const std::string tainted = node("a", "", "taints: [{key: k, effect: NoSchedule}]");
  CHECK(Scenario(tainted, test::pod(scheduled + "containers: []")).on("a").starts_with("? "));
  CHECK(
      Scenario(node("a"), test::pod(scheduled + "nodeSelector: {a: b}, containers: []")).on("a") ==
      "node(s) didn't match Pod's node affinity/selector");
  CHECK(
      Scenario(node("a"), test::pod("containers: [], schedulerName: default-scheduler")).on("a") ==
      "ok");
}

TEST_CASE("another scheduler places a pod with resources of HAMi that no node lists") {
  const auto on = [](const std::string& listed, const std::string& spec) {
    return Scenario(node("a", "", "", "pods: 9, nvidia.com/gpu: 1" + listed),
                    test::pod("containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1, "
                              "nvidia.com/gpumem: 3000, nvidia.com/gpucores: 30}}}]" +
                              spec))
        .on("a");
  };
  const std::string unknown =
      "? the rules of the scheduler that knows 'nvidia.com/gpucores', which places the pod, are "
      "unknown";
  CHECK(on("", "") == unknown);
  CHECK(on("", ", schedulerName: hami-scheduler") ==
        "? the rules of scheduler 'hami-scheduler', which places the pod, are unknown");
  CHECK(on("", ", nodeSelector: {a: b}") == "node(s) didn't match Pod's node affinity/selector");
  CHECK(on(", nvidia.com/gpumem: 2000, nvidia.com/gpucores: 100", "") ==
        "Insufficient nvidia.com/gpumem");
}

TEST_CASE("the verdict on a pod whose named base is not in the workspace is unknown") {
  const std::string service =
      "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: m}, spec: "
      "{predictor: {model: {modelFormat: {name: x}, runtime: absent}}}}";
  const Scenario scenario(node("a") + node("b", "", "taints: [{key: k, effect: NoSchedule}]"),
                          service);
  CHECK(has(scenario.on("a"), "is not in this run: it may add requirements to the pod"));
  CHECK(has(scenario.on("b"), "is not in this run: it may tolerate the taint"));
}

TEST_CASE("finds a pod's labels by key") {
  const Scenario scenario("", test::pod("containers: []", "z: '1', a: '2', m: ''"));
  CHECK(scenario.pod().label("z") == "1");
  CHECK(scenario.pod().label("a") == "2");
  CHECK(scenario.pod().label("m") == "");
  CHECK_FALSE(scenario.pod().label("b"));
  CHECK_FALSE(scenario.pod().label("zz"));
}

TEST_CASE("only the labels of a plain Pod are known to be complete") {
  CHECK(Scenario("", test::pod("containers: []")).pod().has_all_labels);
  CHECK_FALSE(Scenario("",
                       "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: "
                       "{template: {spec: {containers: []}}}}")
                  .pod()
                  .has_all_labels);
}

}  // namespace cnsched::sim::pod_test

namespace cnsched::sim::priority_test {

std::string priority_class(const std::string& name, int value, const std::string& more = "") {
  return fmt::format(
      "---\n{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: {}}}, "
      "value: {}{}}}\n",
      name, value, more);
}

/// "100", "100 Never", "?", or why the API server rejects the pod.
std::string priority(const std::string& facts, const std::string& spec) {
  const Scenario scenario(node("a") + facts, pod(spec + "containers: []"));
  const PodPriority& of = scenario.pod().priority;
  if (!of.rejection.empty()) return of.rejection;
  if (!of.value) return "?";
  return fmt::format("{}{}", *of.value, of.never_preempts ? " Never" : "");
}

TEST_CASE("a PriorityClass gives a pod its priority") {
  const std::string classes =
      priority_class("high", 100) + priority_class("polite", 50, ", preemptionPolicy: Never");
  CHECK(priority(classes, "priorityClassName: high, ") == "100");
  CHECK(priority(classes, "priorityClassName: polite, ") == "50 Never");
  CHECK(priority(classes, "priorityClassName: system-cluster-critical, ") == "2000000000");
  CHECK(priority(classes, "") == "0");
  CHECK(priority(classes, "priority: 0, ") == "0");
}

TEST_CASE("the lowest global default is for pods without a class") {
  const std::string classes = priority_class("a", 100, ", globalDefault: true") +
                              priority_class("b", 20, ", globalDefault: true") +
                              priority_class("c", 1);
  CHECK(priority(classes, "") == "20");
}

TEST_CASE("the API server rejects a pod with another priority than that of its class") {
  const std::string classes = priority_class("high", 100);
  CHECK(priority(classes, "priorityClassName: hihg, ") ==
        "no PriorityClass with name hihg was found");
  CHECK(priority(classes, "priorityClassName: high, priority: 5, ") ==
        "the integer value of priority (5) must not be provided in pod spec; priority admission "
        "controller computed 100 from the given PriorityClass name");
  CHECK(priority(classes, "preemptionPolicy: Never, ") ==
        "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority "
        "admission controller computed PreemptLowerPriority from the given PriorityClass name");
  const Scenario scenario(node("a") + classes, pod("priorityClassName: hihg, containers: []"));
  CHECK(scenario.event() == "pods \"new\" is forbidden: no PriorityClass with name hihg was found");
  CHECK(scenario.pod().not_created.in_pod->text() == "hihg");
}

TEST_CASE("the priority of a class that is not given is unknown") {
  CHECK(priority("", "priorityClassName: high, ") == "?");
  CHECK(priority("", "priorityClassName: high, priority: 7, ") == "7");
  CHECK(priority("", "") == "0");
  const Scenario scenario(node("a"), pod("priorityClassName: high, containers: []"));
  CHECK(scenario.on("a") == "ok");
  CHECK(scenario.pod().assumptions.size() == 1);
}

}  // namespace cnsched::sim::priority_test
