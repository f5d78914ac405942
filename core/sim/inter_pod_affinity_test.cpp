#include "testdata/scenario.h"

namespace cnsched::sim::inter_pod_affinity_test {

constexpr const char* kAffinity = "node(s) didn't match pod affinity rules";
constexpr const char* kAnti = "node(s) didn't match pod anti-affinity rules";
constexpr const char* kExisting = "node(s) didn't satisfy existing pods anti-affinity rules";
constexpr const char* kNoNamespace =
    "? unknown which pods run in the pod's namespace: metadata.namespace is not set";
constexpr const char* kNamespaceLabels =
    "? unknown which namespaces namespaceSelector selects: the Namespace is not given (kubectl get "
    "namespaces -o yaml prints it)";
const std::string kNamespaces =
    "---\n{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {team: t}}}\n"
    "---\n{apiVersion: v1, kind: Namespace, metadata: {name: ml}}\n";
const std::string kPriorityClass =
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: 1}\n";

std::string affinity(const std::string& kind, const std::string& terms) {
  return "affinity: {" + kind + ": {requiredDuringSchedulingIgnoredDuringExecution: [" + terms +
         "]}}";
}

/// A term over zones for pods of app a, followed by `more`.
std::string term(const std::string& more = "labelSelector: {matchLabels: {app: a}}") {
  return "{topologyKey: zone" + (more.empty() ? "" : ", " + more) + "}";
}

std::string near(const std::string& terms, const std::string& labels = "",
                 const std::string& ns = "ml") {
  return pod("containers: [], " + affinity("podAffinity", terms), labels, ns);
}

std::string apart(const std::string& terms, const std::string& labels = "",
                  const std::string& ns = "ml") {
  return pod("containers: [], " + affinity("podAntiAffinity", terms), labels, ns);
}

const std::string kZones = node("a1", "zone: a") + node("a2", "zone: a") + node("b1", "zone: b") +
                           node("x") + running_pod("any", "b1");
const std::string kOne = kZones + running_pod("w-0", "a1", "app: a");

TEST_CASE("required podAffinity rejects nodes without a matching pod in their domain") {
  const Scenario scenario(kOne, near(term()));
  CHECK(scenario.on("a1") == "ok");
  CHECK(scenario.on("a2") == "ok");
  CHECK(scenario.on("b1") == kAffinity);
  CHECK(scenario.on("x") == kAffinity);
}

TEST_CASE("counts terminating pods, but not pods that have ended") {
  const std::string going =
      running_pod("w-0", "a1", "app: a", "", "ml", "deletionTimestamp: \"2026-01-01T00:00:00Z\"");
  CHECK(Scenario(kZones + going, near(term())).on("a2") == "ok");
  CHECK(Scenario(kZones + going, apart(term())).on("a2") == kAnti);
  std::string ended = running_pod("w-0", "a1", "app: a");
  ended.replace(ended.find("Running"), 7, "Failed");
  CHECK(Scenario(kZones + ended, near(term())).on("a2") == kAffinity);
}

TEST_CASE(
    "a pod that matches its own podAffinity fits on every node with the key if no pod matches "
    "yet") {
  const Scenario scenario(kZones, near(term(), "app: a"));
  CHECK(scenario.on("a1") == "ok");
  CHECK(scenario.on("b1") == "ok");
  CHECK(scenario.on("x") == kAffinity);
  CHECK(Scenario(kOne, near(term(), "app: a")).on("b1") == kAffinity);
  CHECK(Scenario(kZones, near(term())).on("a1") == kAffinity);
}

TEST_CASE("does not count a matching pod on a node without any of the keys") {
  const Scenario scenario(kZones + running_pod("w-0", "x", "app: a"), near(term(), "app: a"));
  CHECK(scenario.on("a1") == "ok");
  CHECK(scenario.on("b1") == "ok");
}

TEST_CASE("a matching pod on a node with one of two keys rejects all nodes") {
  const std::string nodes = node("both", "zone: a, rack: r") + node("one", "zone: a") +
                            running_pod("w-0", "one", "app: a");
  const std::string rack = "{topologyKey: rack, labelSelector: {matchLabels: {app: a}}}";
  const Scenario scenario(nodes, near(term() + ", " + rack, "app: a"));
  CHECK(scenario.on("both") == kAffinity);
  CHECK(scenario.on("one") == kAffinity);
}

TEST_CASE("requires one pod to match all terms") {
  const std::string b = "{topologyKey: zone, labelSelector: {matchLabels: {role: b}}}";
  const std::string two = kOne + running_pod("v-0", "a1", "role: b");
  CHECK(Scenario(two, near(term() + ", " + b)).on("a1") == kAffinity);
  const std::string one = kZones + running_pod("w-0", "a1", "app: a, role: b");
  CHECK(Scenario(one, near(term() + ", " + b)).on("a1") == "ok");
}

TEST_CASE("different pods may satisfy terms with different keys") {
  const std::string nodes = node("n1", "zone: a, rack: r") + node("n2", "zone: a, rack: s") +
                            node("n3", "zone: b, rack: r") + running_pod("w-0", "n2", "app: a") +
                            running_pod("w-1", "n3", "app: a");
  const std::string rack = "{topologyKey: rack, labelSelector: {matchLabels: {app: a}}}";
  CHECK(Scenario(nodes, near(term() + ", " + rack)).on("n1") == "ok");
}

TEST_CASE(
    "rejects domains with a pod that matches podAntiAffinity, but not nodes without the key") {
  const Scenario scenario(kOne, apart(term()));
  CHECK(scenario.on("a1") == kAnti);
  CHECK(scenario.on("a2") == kAnti);
  CHECK(scenario.on("b1") == "ok");
  CHECK(scenario.on("x") == "ok");
}

TEST_CASE("rejects nodes for each podAntiAffinity term separately") {
  const std::string rack = "{topologyKey: rack, labelSelector: {matchLabels: {role: b}}}";
  const std::string nodes = kOne + node("r", "rack: r") + running_pod("v-0", "r", "role: b");
  const Scenario scenario(nodes, apart(term() + ", " + rack));
  CHECK(scenario.on("a1") == kAnti);
  CHECK(scenario.on("r") == kAnti);
  CHECK(scenario.on("b1") == "ok");
}

TEST_CASE("podAntiAffinity of a running pod rejects the nodes of its domain") {
  const std::string nodes =
      kZones + running_pod("w-0", "a1", "app: a",
                           affinity("podAntiAffinity", term("labelSelector: "
                                                            "{matchLabels: {app: new}}")));
  CHECK(Scenario(nodes, pod("containers: []", "app: new")).on("a1") == kExisting);
  CHECK(Scenario(nodes, pod("containers: []", "app: new")).on("a2") == kExisting);
  CHECK(Scenario(nodes, pod("containers: []", "app: new")).on("b1") == "ok");
  CHECK(Scenario(nodes, pod("containers: []", "app: old")).on("a1") == "ok");
  CHECK(Scenario(nodes, pod("containers: []", "app: new", "other")).on("a1") == "ok");
}

TEST_CASE("rejects no node for preferred terms") {
  const std::string soft =
      "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
      "podAffinityTerm: " +
      term() + "}]}}";
  CHECK(Scenario(kOne, pod("containers: [], " + soft)).on("a1") == "ok");
  const std::string nodes = kZones + running_pod("w-0", "a1", "", soft);
  CHECK(Scenario(nodes, pod("containers: []", "app: a")).on("a1") == "ok");
}

TEST_CASE("the first failing check of the plugin gives the only reason") {
  const std::string nodes =
      kZones +
      running_pod("w-0", "a1", "app: a", affinity("podAntiAffinity", term("labelSelector: {}")));
  CHECK(Scenario(nodes, apart(term())).on("a1") == kAnti);
  const std::string both = pod(
      "containers: [], affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" +
      term("labelSelector: {matchLabels: {app: none}}") +
      "]}, podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + term() + "]}}");
  const Scenario scenario(nodes, both);
  CHECK(scenario.on("a1") == kAffinity);
  CHECK(scenario.diagnosis().all_reasons(0).size() == 1);
}

TEST_CASE("a missing labelSelector selects no pod, an empty one every pod") {
  CHECK(Scenario(kOne, near(term(""))).on("a1") == kAffinity);
  CHECK(Scenario(kOne, near(term("labelSelector: "))).on("a1") == kAffinity);
  CHECK(Scenario(kOne, apart(term(""))).on("a1") == "ok");
  CHECK(Scenario(kOne, near(term("labelSelector: {}"))).on("a1") == "ok");
  CHECK(Scenario(kOne, apart(term("labelSelector: {}"))).on("a1") == kAnti);
  CHECK(Scenario(kOne, apart(term("matchLabelKeys: [app]"), "app: a")).on("a1") == "ok");
}

TEST_CASE("requires a pod to match all expressions of a labelSelector") {
  const auto on_a1 = [](const std::string& expressions) {
    return Scenario(kOne, apart(term("labelSelector: {matchExpressions: [" + expressions + "]}")))
        .on("a1");
  };
  CHECK(on_a1("{key: app, operator: In, values: [a, b]}") == kAnti);
  CHECK(on_a1("{key: app, operator: In, values: [a, a]}") == kAnti);
  CHECK(on_a1("{key: app, operator: In, values: [b]}") == "ok");
  CHECK(on_a1("{key: app, operator: NotIn, values: [b]}") == kAnti);
  CHECK(on_a1("{key: none, operator: NotIn, values: [b]}") == kAnti);
  CHECK(on_a1("{key: app, operator: Exists}") == kAnti);
  CHECK(on_a1("{key: app, operator: DoesNotExist}") == "ok");
  CHECK(on_a1("{key: app, operator: Exists}, {key: none, operator: Exists}") == "ok");
  CHECK(on_a1("{key: app, operator: equals, values: [a]}") == "ok");
}

TEST_CASE("a term selects pods in its owner's, the listed or the selected namespaces") {
  const std::string selector = "labelSelector: {matchLabels: {app: a}}";
  const std::string nodes = kZones + running_pod("w-0", "a1", "app: a", "", "other");
  const auto on_a1 = [&](const std::string& more) {
    return Scenario(nodes, apart(term(selector + more))).on("a1");
  };
  CHECK(on_a1("") == "ok");
  CHECK(on_a1(", namespaces: [other]") == kAnti);
  CHECK(on_a1(", namespaces: [others]") == "ok");
  CHECK(on_a1(", namespaceSelector: {}") == kAnti);
  CHECK(on_a1(", namespaceSelector: ") == "ok");
  CHECK(on_a1(", namespaceSelector: {matchLabels: {team: t}}") == kNamespaceLabels);
  CHECK(on_a1(", namespaceSelector: {matchLabels: {team: t}}, namespaces: [other]") == kAnti);
  const std::string named = ", namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ";
  CHECK(on_a1(named + "other}}") == kAnti);
  CHECK(on_a1(named + "ml}}") == "ok");
  CHECK(on_a1(named + "ml, team: t}}") == "ok");
  CHECK(on_a1(named + "other, team: t}}") == kNamespaceLabels);
}

TEST_CASE("listed namespaces replace the owner's namespace") {
  const std::string more = "labelSelector: {matchLabels: {app: a}}, namespaces: [other]";
  CHECK(Scenario(kOne, apart(term(more))).on("a1") == "ok");
}

TEST_CASE("a namespaceSelector of a running pod is matched with the pod's namespace") {
  const std::string own = "labelSelector: {matchLabels: {app: new}}, namespaceSelector: ";
  const auto on_a1 = [&](const std::string& selector) {
    const std::string nodes =
        kZones +
        running_pod("w-0", "a1", "", affinity("podAntiAffinity", term(own + selector)), "sys");
    return Scenario(nodes, pod("containers: []", "app: new")).on("a1");
  };
  CHECK(on_a1("{}") == kExisting);
  CHECK(on_a1("{matchLabels: {team: t}}") == kNamespaceLabels);
  CHECK(on_a1("{matchLabels: {kubernetes.io/metadata.name: ml}}") == kExisting);
  CHECK(on_a1("{matchLabels: {kubernetes.io/metadata.name: sys}}") == "ok");
}

TEST_CASE("a namespaceSelector selects by the labels of given Namespaces") {
  const auto on_a1 = [&](const std::string& selector, const std::string& ns) {
    const std::string pods = kZones + running_pod("w-0", "a1", "app: a", "", ns);
    const std::string own = "labelSelector: {matchLabels: {app: a}}, namespaceSelector: ";
    return Scenario(pods + kNamespaces, apart(term(own + selector))).on("a1");
  };
  CHECK(on_a1("{matchLabels: {team: t}}", "other") == kAnti);
  CHECK(on_a1("{matchLabels: {team: u}}", "other") == "ok");
  CHECK(on_a1("{matchExpressions: [{key: team, operator: NotIn, values: [u]}]}", "ml") == kAnti);
  // kube-scheduler bug kubernetes#141526: without In or Exists, every namespace is selected.
  CHECK(on_a1("{matchExpressions: [{key: team, operator: DoesNotExist}]}", "other") == kAnti);
  CHECK(
      on_a1("{matchExpressions: [{key: team, operator: NotIn, values: [t]}, {key: team, operator: "
            "Exists}]}",
            "other") == "ok");
  CHECK(on_a1("{matchExpressions: [{key: team, operator: Exists}]}", "ml") == "ok");
  CHECK(on_a1("{matchLabels: {kubernetes.io/metadata.name: other}}", "other") == kAnti);
  // The cluster has no other Namespaces.
  CHECK(on_a1("{matchLabels: {team: t}}", "third") == "ok");
}

TEST_CASE("in a dump of the whole cluster without Pods, no pod satisfies podAffinity") {
  const std::string nodes = node("a1", "zone: a");
  CHECK(Scenario(nodes + kNamespaces + kPriorityClass, near(term())).on("a1") == kAffinity);
  CHECK(Scenario(nodes + kNamespaces, near(term())).on("a1").starts_with("? unknown whether"));
}

TEST_CASE("a verdict that depends on an unknown namespace is unknown") {
  CHECK(Scenario(kOne, near(term(), "", "")).on("a1") == kNoNamespace);
  CHECK(Scenario(kOne, near(term(), "", "")).on("b1") == kAffinity);
  CHECK(Scenario(kOne, near(term(), "app: a", "")).on("b1") == kNoNamespace);
  CHECK(Scenario(kOne, near(term(), "app: a", "")).on("x") == kAffinity);
  CHECK(Scenario(kOne, apart(term(), "", "")).on("a1") == kNoNamespace);
  CHECK(Scenario(kOne, apart(term(), "", "")).on("b1") == "ok");
  const std::string listed = term("labelSelector: {matchLabels: {app: a}}, namespaces: [ml]");
  CHECK(Scenario(kOne, apart(listed, "", "")).on("a1") == kAnti);
}

TEST_CASE("without any given Pod, podAffinity to other pods is unknown") {
  const std::string nodes = node("a1", "zone: a") + node("x");
  const std::string unknown =
      "? unknown whether a pod that required podAffinity selects runs there: no Pods are given "
      "(kubectl get pods -A -o yaml prints them)";
  CHECK(Scenario(nodes, near(term())).on("a1") == unknown);
  CHECK(Scenario(nodes, near(term())).on("x") == kAffinity);
  CHECK(Scenario(nodes, near(term(), "app: a")).on("a1") == "ok");
  CHECK(Scenario(nodes, apart(term())).on("a1") == "ok");
}

TEST_CASE("merges matchLabelKeys and mismatchLabelKeys into the selector") {
  const std::string nodes = kZones + running_pod("w-0", "a1", "app: a, tenant: t");
  const std::string selector = "labelSelector: {matchLabels: {app: a}}";
  const auto on_a1 = [&](const std::string& more, const std::string& labels) {
    return Scenario(nodes, apart(term(selector + more), labels)).on("a1");
  };
  CHECK(on_a1(", matchLabelKeys: [tenant]", "tenant: t") == kAnti);
  CHECK(on_a1(", matchLabelKeys: [tenant]", "tenant: u") == "ok");
  CHECK(on_a1(", matchLabelKeys: [tenant]", "") == kAnti);
  CHECK(on_a1(", mismatchLabelKeys: [tenant]", "tenant: t") == "ok");
  CHECK(on_a1(", mismatchLabelKeys: [tenant]", "tenant: u") == kAnti);
  CHECK(on_a1(", mismatchLabelKeys: [tenant]", "") == kAnti);
  CHECK(on_a1(", mismatchLabelKeys: [none]", "none: u") ==
        kAnti);  // NotIn matches a pod without the label
}

TEST_CASE("replicas with podAntiAffinity by host need one new node of a pool each") {
  const std::string manifest =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3, "
      "selector: "
      "{matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: "
      "[{name: c, image: i}], " +
      affinity("podAntiAffinity",
               "{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}, "
               "matchLabelKeys: [pod-template-hash]}") +
      "}}}}";
  const Scenario scenario(node("a1", "kubernetes.io/hostname: a1") + node_pool("pool", "p: q"),
                          manifest);
  Cluster cluster = scenario.cluster();
  const std::size_t pool = cluster.find_any("pool").value();
  cluster.place(scenario.pod(), 0);
  CHECK(Scenario::on("a1", Diagnosis(scenario.pod(), cluster)) == kAnti);
  CHECK(Scenario::on("pool", Diagnosis(scenario.pod(), cluster)).find(kAnti) != 0);
  cluster.place(scenario.pod(), pool);
  CHECK(Scenario::on("pool", Diagnosis(scenario.pod(), cluster)).find(kAnti) == 0);
  cluster.replace_node(pool);
  CHECK(Scenario::on("pool", Diagnosis(scenario.pod(), cluster)).find(kAnti) != 0);
}

TEST_CASE("a new node of a pool is in the same zone as the others") {
  const std::string manifest = apart(term(), "app: a");
  const Scenario scenario(node_pool("pool", "zone: a") + node("b1", "zone: b"), manifest);
  Cluster cluster = scenario.cluster();
  const std::size_t pool = cluster.find_any("pool").value();
  cluster.place(scenario.pod(), pool);
  cluster.replace_node(pool);
  CHECK(Scenario::on("pool", Diagnosis(scenario.pod(), cluster)).find(kAnti) == 0);
  CHECK(Scenario::on("b1", Diagnosis(scenario.pod(), cluster)) == "ok");
}

TEST_CASE("a pool that does not list its zone may be in any zone") {
  const std::string unknown = "unknown whether the pool's nodes have the topologyKey";
  CHECK(has(Scenario(kOne + node_pool("pool"), near(term())).on("pool"), unknown));
  CHECK(has(Scenario(kOne + node_pool("pool"), apart(term())).on("pool"), unknown));
  CHECK_FALSE(has(Scenario(kZones + node_pool("pool"), apart(term())).on("pool"), unknown));
  // It is also unknown which running pods exclude the pod.
  const Scenario scenario(kZones + node_pool("pool"), apart(term(), "app: a"));
  Cluster cluster = scenario.cluster();
  cluster.place(scenario.pod(), cluster.find_any("pool").value());
  CHECK(Scenario::on("b1", Diagnosis(scenario.pod(), cluster)) ==
        "? " + unknown + ": the pool does not list it");
  CHECK(Scenario::on("x", Diagnosis(scenario.pod(), cluster)) == "ok");
}

TEST_CASE("a pod with nodeName is not filtered by affinity") {
  const std::string terms = "containers: [], nodeName: a1, " + affinity("podAntiAffinity", term());
  CHECK(Scenario(kOne, pod(terms)).on("a1") == "ok");
  CHECK(Scenario(kOne, pod(terms)).explained("a1").empty());
}

TEST_CASE("explains conflicts between pods with name, key and domain") {
  CHECK(Scenario(kOne, near(term())).explained("b1") ==
        "no pod that required podAffinity selects (app=a) runs where label 'zone' is 'b'");
  CHECK(Scenario(kOne, near(term())).explained("x") ==
        "has no label 'zone' (topologyKey of required podAffinity)");
  CHECK(Scenario(kOne, near(term())).explained("a2").empty());
  CHECK(Scenario(kOne, apart(term())).explained("a2") ==
        "pod 'ml/w-0' runs where label 'zone' is 'a', which required podAntiAffinity excludes "
        "(app=a)");
  const std::string nodes =
      kZones + running_pod("w-0", "a1", "", affinity("podAntiAffinity", term("labelSelector: {}")));
  CHECK(Scenario(nodes, pod("containers: []")).explained("a2") ==
        "pod 'ml/w-0' runs where label 'zone' is 'a' with a podAntiAffinity against this pod");
}

TEST_CASE("the verdict on a pod whose base is not in the workspace is unknown") {
  const std::string service =
      "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: m, "
      "namespace: ml}, spec: {predictor: {" +
      affinity("podAntiAffinity", term()) + ", model: {modelFormat: {name: x}, runtime: absent}}}}";
  const std::string on = Scenario(kOne, service).on("a1");
  CHECK(on.starts_with("? "));
  CHECK(has(on, "is not in this run: it may change the pod's podAffinity and podAntiAffinity"));
}

}  // namespace cnsched::sim::inter_pod_affinity_test
