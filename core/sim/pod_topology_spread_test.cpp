#include "testdata/scenario.h"

namespace cnsched::sim::pod_topology_spread_test {

constexpr const char* kSkew = "node(s) didn't match pod topology spread constraints";
constexpr const char* kLabel =
    "node(s) didn't match pod topology spread constraints (missing required label)";
constexpr const char* kNodeLabels =
    "? unknown whether the pool's nodes have the topologyKey: the pool does not list it";

/// A DoNotSchedule constraint over zones for pods of app a, followed by `more`.
std::string by_zone(const std::string& more = "labelSelector: {matchLabels: {app: a}}",
                    const std::string& skew = "1") {
  return "{maxSkew: " + skew + ", topologyKey: zone, whenUnsatisfiable: DoNotSchedule" +
         (more.empty() ? "" : ", " + more) + "}";
}

std::string spread(const std::string& constraints, const std::string& labels = "app: a",
                   const std::string& ns = "ml", const std::string& spec = "") {
  return pod("containers: [], topologySpreadConstraints: [" + constraints + "]" + spec, labels, ns);
}

const std::string kZones = node("a1", "zone: a") + node("b1", "zone: b");

TEST_CASE("rejects a domain where one more pod exceeds the global minimum by more than maxSkew") {
  const std::string one = kZones + running_pod("w-0", "a1", "app: a");
  CHECK(Scenario(one, spread(by_zone())).on("a1") == kSkew);
  CHECK(Scenario(one, spread(by_zone())).on("b1") == "ok");
  const std::string loose = by_zone("labelSelector: {matchLabels: {app: a}}", "2");
  CHECK(Scenario(one, spread(loose)).on("a1") == "ok");
  CHECK(Scenario(one + running_pod("w-1", "a1", "app: a"), spread(loose)).on("a1") == kSkew);
  const std::string even = one + running_pod("w-1", "b1", "app: a");
  CHECK(Scenario(even, spread(by_zone())).on("a1") == "ok");
}

TEST_CASE("rejects a node without the topologyKey and ignores its pods") {
  const std::string nodes = kZones + node("x") + running_pod("w-0", "x", "app: a");
  const Scenario scenario(nodes, spread(by_zone()));
  CHECK(scenario.on("x") == kLabel);
  CHECK(scenario.on("a1") == "ok");
  CHECK(scenario.on("b1") == "ok");
}

TEST_CASE("an empty label value is a domain") {
  const std::string nodes =
      node("a1", "zone: a") + node("e", "zone: ''") + running_pod("w-0", "e", "app: a");
  const Scenario scenario(nodes, spread(by_zone()));
  CHECK(scenario.on("e") == kSkew);
  CHECK(scenario.on("a1") == "ok");
}

TEST_CASE("ignores a node without one of the keys for all constraints") {
  const std::string nodes =
      node("a1", "zone: a, host: a1") + node("b1", "zone: b") + running_pod("w-0", "a1", "app: a");
  const std::string by_host =
      "{maxSkew: 1, topologyKey: host, whenUnsatisfiable: DoNotSchedule, labelSelector: "
      "{matchLabels: {app: a}}}";
  const Scenario scenario(nodes, spread(by_zone() + ", " + by_host));
  CHECK(scenario.on("a1") == "ok");  // zone b is not a domain, so a has the global minimum
  CHECK(scenario.on("b1") == kLabel);
}

TEST_CASE("the first constraint that a node violates gives the only reason") {
  const std::string nodes = node("a1", "zone: a") + node("b1", "zone: b, host: b1") +
                            node("c1", "zone: c, host: c1") + running_pod("w-0", "b1", "app: a");
  const std::string by_host =
      "{maxSkew: 1, topologyKey: host, whenUnsatisfiable: DoNotSchedule, labelSelector: "
      "{matchLabels: {app: a}}}";
  const Scenario scenario(nodes, spread(by_zone() + ", " + by_host));
  CHECK(scenario.on("b1") == kSkew);
  CHECK(scenario.on("a1") == kLabel);
  CHECK(scenario.diagnosis().all_reasons(0).size() == 1);
  CHECK(scenario.diagnosis().all_reasons(1).size() == 1);
}

TEST_CASE("filters only by DoNotSchedule") {
  const std::string nodes = kZones + running_pod("w-0", "a1", "app: a");
  CHECK(Scenario(nodes, spread("{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, "
                               "labelSelector: {matchLabels: {app: a}}}"))
            .on("a1") == "ok");
  CHECK(
      Scenario(nodes, spread("{maxSkew: 1, topologyKey: none, whenUnsatisfiable: ScheduleAnyway}"))
          .on("a1") == "ok");
}

TEST_CASE("counts no pods for a missing or an empty selector") {
  const std::string nodes =
      kZones + running_pod("w-0", "a1", "app: a") + running_pod("w-1", "a1", "app: a");
  CHECK(Scenario(nodes, spread(by_zone(""))).on("a1") == "ok");
  CHECK(Scenario(nodes, spread(by_zone("labelSelector: "))).on("a1") == "ok");
  CHECK(Scenario(nodes, spread(by_zone("labelSelector: {}"))).on("a1") == "ok");
  CHECK(Scenario(nodes, spread(by_zone("labelSelector: {}, matchLabelKeys: [none]"))).on("a1") ==
        "ok");
  CHECK(Scenario(nodes, spread(by_zone("labelSelector: {matchLabels: {}}"))).on("a1") == "ok");
}

TEST_CASE("does not count pods of other namespaces, terminating pods and ended pods") {
  const std::string other = running_pod("w-0", "a1", "app: a", "", "other");
  CHECK(Scenario(kZones + other, spread(by_zone())).on("a1") == "ok");
  const std::string going =
      running_pod("w-0", "a1", "app: a", "", "ml", "deletionTimestamp: \"2026-01-01T00:00:00Z\"");
  CHECK(Scenario(kZones + going, spread(by_zone())).on("a1") == "ok");
  std::string ended = running_pod("w-0", "a1", "app: a");
  ended.replace(ended.find("Running"), 7, "Succeeded");
  CHECK(Scenario(kZones + ended, spread(by_zone())).on("a1") == "ok");
}

TEST_CASE("a pod that its own selector does not match does not count itself") {
  const std::string one = kZones + running_pod("w-0", "a1", "app: a");
  CHECK(Scenario(one, spread(by_zone(), "app: other")).on("a1") == "ok");
  const std::string two = one + running_pod("w-1", "a1", "app: a");
  CHECK(Scenario(two, spread(by_zone(), "app: other")).on("a1") == kSkew);
}

TEST_CASE("with fewer domains than minDomains the global minimum is 0") {
  const std::string nodes =
      kZones + running_pod("w-0", "a1", "app: a") + running_pod("w-1", "b1", "app: a");
  const std::string selector = "labelSelector: {matchLabels: {app: a}}, minDomains: ";
  CHECK(Scenario(nodes, spread(by_zone(selector + "2"))).on("a1") == "ok");
  CHECK(Scenario(nodes, spread(by_zone(selector + "3"))).on("a1") == kSkew);
}

TEST_CASE("nodes that node affinity rejects are eligible only with nodeAffinityPolicy Ignore") {
  const std::string nodes =
      node("a1", "zone: a, pool: p") + node("b1", "zone: b") + running_pod("w-0", "a1", "app: a");
  const std::string select = ", nodeSelector: {pool: p}";
  CHECK(Scenario(nodes, spread(by_zone(), "app: a", "ml", select)).on("a1") == "ok");
  const std::string ignore =
      by_zone("labelSelector: {matchLabels: {app: a}}, nodeAffinityPolicy: Ignore");
  CHECK(Scenario(nodes, spread(ignore, "app: a", "ml", select)).on("a1") == kSkew);
}

TEST_CASE(
    "tainted nodes are eligible unless nodeTaintsPolicy is Honor; cordoned nodes always are") {
  const std::string taint = "taints: [{key: k, effect: NoSchedule}]";
  const std::string nodes =
      node("a1", "zone: a") + node("b1", "zone: b", taint) + running_pod("w-0", "a1", "app: a");
  CHECK(Scenario(nodes, spread(by_zone())).on("a1") == kSkew);
  const std::string honor =
      by_zone("labelSelector: {matchLabels: {app: a}}, nodeTaintsPolicy: Honor");
  CHECK(Scenario(nodes, spread(honor)).on("a1") == "ok");
  const std::string cordoned = node("a1", "zone: a") +
                               node("b1", "zone: b", "unschedulable: true") +
                               running_pod("w-0", "a1", "app: a");
  CHECK(Scenario(cordoned, spread(honor)).on("a1") == kSkew);
}

TEST_CASE("a node whose taint admission may tolerate is possibly eligible") {
  const std::string nodes = node("a1", "zone: a", "", "pods: 9, x.com/gpu: 4") +
                            node("b1", "zone: b", "taints: [{key: x.com/gpu, effect: NoSchedule}]",
                                 "pods: 9, x.com/gpu: 4") +
                            running_pod("w-0", "a1", "app: a");
  const std::string honor =
      by_zone("labelSelector: {matchLabels: {app: a}}, nodeTaintsPolicy: Honor");
  const std::string manifest = pod(
      "containers: [{name: c, resources: {limits: {x.com/gpu: 1}}}], topologySpreadConstraints: [" +
          honor + "]",
      "app: a");
  CHECK(Scenario(nodes, manifest, {.extended_resource_toleration = true}).on("a1") == kSkew);
  CHECK(Scenario(nodes, manifest, {.extended_resource_toleration = false}).on("a1") == "ok");
  CHECK(Scenario(nodes, manifest).on("a1") ==
        "? unknown which nodes topologySpreadConstraints count: admission may add tolerations");
}

TEST_CASE("counts only pods of the same revision with matchLabelKeys") {
  const std::string nodes = kZones + running_pod("w-0", "a1", "app: a, rev: '1'");
  const std::string keys = by_zone("labelSelector: {matchLabels: {app: a}}, matchLabelKeys: [rev]");
  CHECK(Scenario(nodes, spread(keys, "app: a, rev: '1'")).on("a1") == kSkew);
  CHECK(Scenario(nodes, spread(keys, "app: a, rev: '2'")).on("a1") == "ok");
  CHECK(Scenario(nodes, spread(keys, "app: a")).on("a1") == kSkew);  // the key is ignored
}

TEST_CASE("if a controller sets the revision, it is unknown whether running pods count") {
  const std::string nodes = kZones + running_pod("w-0", "a1", "app: a, pod-template-hash: abc");
  const std::string deployment =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: ml}, spec: "
      "{selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: "
      "{containers: [{name: c, image: i}], topologySpreadConstraints: [" +
      by_zone("labelSelector: {matchLabels: {app: a}}, matchLabelKeys: [pod-template-hash]") +
      "]}}}}";
  const Scenario scenario(nodes, deployment);
  CHECK(scenario.on("a1") ==
        "? labels that a controller sets, such as pod-template-hash, are unknown in advance");
  CHECK(scenario.on("b1") == "ok");
  // The replicas of the Deployment share the value.
  Cluster cluster = scenario.cluster();
  cluster.place(scenario.pod(), 1);
  cluster.place(scenario.pod(), 1);
  CHECK(Scenario::on("b1", Diagnosis(scenario.pod(), cluster)) == kSkew);
}

TEST_CASE("in an unknown namespace it is unknown which pods count") {
  const std::string nodes = kZones + running_pod("w-0", "a1", "app: a");
  const Scenario scenario(nodes, spread(by_zone(), "app: a", ""));
  CHECK(scenario.on("a1") ==
        "? unknown which pods run in the pod's namespace: metadata.namespace is not set");
  CHECK(scenario.on("b1") == "ok");
  CHECK(Scenario(kZones, spread(by_zone(), "app: a", "")).on("a1") == "ok");
  const std::string unnamed = kZones + running_pod("w-0", "a1", "app: a", "", "");
  CHECK(Scenario(unnamed, spread(by_zone(), "app: a", "")).on("a1") == kSkew);
  CHECK(Scenario(unnamed, spread(by_zone())).on("a1") ==
        "? the namespace of running pods is unknown");
}

TEST_CASE("a pool that does not list its labels possibly has the topologyKey") {
  const std::string nodes = kZones + node_pool("pool") + running_pod("w-0", "a1", "app: a");
  const Scenario scenario(nodes, spread(by_zone()));
  CHECK(has(scenario.on("pool"), kNodeLabels + 2));
  CHECK(scenario.on("a1") == kSkew);
  CHECK(scenario.on("b1") == "ok");
}

TEST_CASE("a node that an autoscaler may add is an empty domain for itself only") {
  const std::string hosts =
      "{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, "
      "labelSelector: {matchLabels: {app: a}}}";
  const std::string nodes = node("a1", "kubernetes.io/hostname: a1") + node_pool("pool") +
                            running_pod("w-0", "a1", "app: a");
  const Scenario scenario(nodes, spread(hosts));
  CHECK(scenario.on("a1") == "ok");
  Cluster cluster = scenario.cluster();
  const std::size_t pool = cluster.find_any("pool").value();
  cluster.place(scenario.pod(), pool);
  cluster.place(scenario.pod(), pool);
  CHECK(Scenario::on("a1", Diagnosis(scenario.pod(), cluster)) == "ok");
  CHECK(Scenario::on("pool", Diagnosis(scenario.pod(), cluster)).find(kSkew) == 0);
  // The new node is another host, and the old one still exists.
  cluster.replace_node(pool);
  CHECK(Scenario::on("pool", Diagnosis(scenario.pod(), cluster)).find(kSkew) != 0);
  cluster.place(scenario.pod(), 0);
  CHECK(Scenario::on("a1", Diagnosis(scenario.pod(), cluster)) == "ok");
  cluster.place(scenario.pod(), 0);
  CHECK(Scenario::on("a1", Diagnosis(scenario.pod(), cluster)) == kSkew);
}

TEST_CASE("a replaced node of a pool is a domain without pods") {
  const std::string hosts =
      "{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, "
      "labelSelector: {matchLabels: {app: a}}}";
  const std::string nodes = node("a1", "kubernetes.io/hostname: a1") + node_pool("pool") +
                            running_pod("w-0", "a1", "app: a");
  const Scenario scenario(nodes, spread(hosts) + pod("containers: []", "app: other"));
  Cluster cluster = scenario.cluster();
  const std::size_t pool = cluster.find_any("pool").value();
  cluster.place(scenario.pod(1), pool);
  CHECK(Scenario::on("a1", Diagnosis(scenario.pod(), cluster)) == kSkew);
  cluster.replace_node(pool);
  CHECK(Scenario::on("a1", Diagnosis(scenario.pod(), cluster)) == kSkew);
}

TEST_CASE("topologySpreadConstraints do not filter a pod with nodeName") {
  const std::string nodes = kZones + running_pod("w-0", "a1", "app: a");
  CHECK(Scenario(nodes, spread(by_zone(), "app: a", "ml", ", nodeName: a1")).on("a1") == "ok");
}

TEST_CASE("explains a violated constraint with pods, domain and counts") {
  const std::string nodes = kZones + node("x") + running_pod("w-0", "a1", "app: a") +
                            running_pod("w-1", "a1", "app: a") +
                            running_pod("w-2", "a1", "app: a") + running_pod("w-3", "a1", "app: a");
  const Scenario scenario(nodes, spread(by_zone()));
  CHECK(scenario.explained("a1") ==
        "maxSkew 1 would be exceeded where label 'zone' is 'a': 4 matching pods run there (pods "
        "'ml/w-0', 'ml/w-1', 'ml/w-2' and 1 more), the global minimum is 0");
  CHECK(scenario.explained("x") ==
        "has no label 'zone' (topologyKey of topologySpreadConstraints)");
  CHECK(scenario.explained("b1").empty());
}

TEST_CASE("escapes control characters in explanations of a spread") {
  const std::string nodes = node("a1", R"("z\u001b": "v\u001b")") + node("b1", R"("z\u001b": w)") +
                            running_pod(R"("w\u001b")", "a1", "app: a");
  const std::string constraint =
      R"({maxSkew: 1, topologyKey: "z\u001b", whenUnsatisfiable: DoNotSchedule, labelSelector: )"
      R"({matchLabels: {app: a}}})";
  const std::string text = Scenario(nodes, spread(constraint)).explained("a1");
  CHECK_FALSE(has(text, '\x1b'));
  CHECK(has(text, "\\x1b"));
}

}  // namespace cnsched::sim::pod_topology_spread_test
