#include <doctest/doctest.h>

#include <string>

#include "testdata/scenario.h"

namespace cnsched::sim {

namespace {

using test::node;
using test::node_pool;
using test::running;
using test::Scenario;

constexpr const char* kSkew = "node(s) didn't match pod topology spread constraints";
constexpr const char* kLabel =
    "node(s) didn't match pod topology spread constraints (missing required label)";
constexpr const char* kNodeLabels =
    "? whether its nodes have the topologyKey is not known: the pool does not tell";

/// A DoNotSchedule constraint over zones for pods of app a; `more` comes behind.
std::string by_zone(const std::string& more = "labelSelector: {matchLabels: {app: a}}",
                    const std::string& skew = "1") {
  return "{maxSkew: " + skew + ", topologyKey: zone, whenUnsatisfiable: DoNotSchedule" +
         (more.empty() ? "" : ", " + more) + "}";
}

std::string spread(const std::string& constraints, const std::string& labels = "app: a",
                   const std::string& ns = "ml", const std::string& spec = "") {
  return test::pod("containers: [], topologySpreadConstraints: [" + constraints + "]" + spec,
                   labels, ns);
}

const std::string kZones = node("a1", "zone: a") + node("b1", "zone: b");

}  // namespace

TEST_CASE(
    "a spread is refused where one pod more exceeds the emptiest domain by more than maxSkew") {
  const std::string one = kZones + running("w-0", "a1", "app: a");
  CHECK(Scenario(one, spread(by_zone())).on("a1") == kSkew);
  CHECK(Scenario(one, spread(by_zone())).on("b1") == "ok");
  const std::string loose = by_zone("labelSelector: {matchLabels: {app: a}}", "2");
  CHECK(Scenario(one, spread(loose)).on("a1") == "ok");
  CHECK(Scenario(one + running("w-1", "a1", "app: a"), spread(loose)).on("a1") == kSkew);
  const std::string even = one + running("w-1", "b1", "app: a");
  CHECK(Scenario(even, spread(by_zone())).on("a1") == "ok");
}

TEST_CASE("a node without the topologyKey is refused, and its pods count nowhere") {
  const std::string nodes = kZones + node("x") + running("w-0", "x", "app: a");
  const Scenario scenario(nodes, spread(by_zone()));
  CHECK(scenario.on("x") == kLabel);
  CHECK(scenario.on("a1") == "ok");
  CHECK(scenario.on("b1") == "ok");
}

TEST_CASE("an empty label value is a domain like others") {
  const std::string nodes =
      node("a1", "zone: a") + node("e", "zone: ''") + running("w-0", "e", "app: a");
  const Scenario scenario(nodes, spread(by_zone()));
  CHECK(scenario.on("e") == kSkew);
  CHECK(scenario.on("a1") == "ok");
}

TEST_CASE("a node that lacks one of several keys counts for none of the constraints") {
  const std::string nodes =
      node("a1", "zone: a, host: a1") + node("b1", "zone: b") + running("w-0", "a1", "app: a");
  const std::string by_host =
      "{maxSkew: 1, topologyKey: host, whenUnsatisfiable: DoNotSchedule, labelSelector: "
      "{matchLabels: {app: a}}}";
  const Scenario scenario(nodes, spread(by_zone() + ", " + by_host));
  CHECK(scenario.on("a1") == "ok");  // zone b is no domain, so a is the emptiest
  CHECK(scenario.on("b1") == kLabel);
}

TEST_CASE("the first constraint in the list that a node fails gives the reason, and only one") {
  const std::string nodes = node("a1", "zone: a") + node("b1", "zone: b, host: b1") +
                            node("c1", "zone: c, host: c1") + running("w-0", "b1", "app: a");
  const std::string by_host =
      "{maxSkew: 1, topologyKey: host, whenUnsatisfiable: DoNotSchedule, labelSelector: "
      "{matchLabels: {app: a}}}";
  const Scenario scenario(nodes, spread(by_zone() + ", " + by_host));
  CHECK(scenario.on("b1") == kSkew);
  CHECK(scenario.on("a1") == kLabel);
  CHECK(scenario.diagnosis().all_reasons(0).size() == 1);
  CHECK(scenario.diagnosis().all_reasons(1).size() == 1);
}

TEST_CASE("only DoNotSchedule filters") {
  const std::string nodes = kZones + running("w-0", "a1", "app: a");
  CHECK(Scenario(nodes, spread("{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, "
                               "labelSelector: {matchLabels: {app: a}}}"))
            .on("a1") == "ok");
  CHECK(
      Scenario(nodes, spread("{maxSkew: 1, topologyKey: none, whenUnsatisfiable: ScheduleAnyway}"))
          .on("a1") == "ok");
}

TEST_CASE("neither the missing selector nor the empty one ever counts a pod") {
  const std::string nodes =
      kZones + running("w-0", "a1", "app: a") + running("w-1", "a1", "app: a");
  CHECK(Scenario(nodes, spread(by_zone(""))).on("a1") == "ok");
  CHECK(Scenario(nodes, spread(by_zone("labelSelector: "))).on("a1") == "ok");
  CHECK(Scenario(nodes, spread(by_zone("labelSelector: {}"))).on("a1") == "ok");
  CHECK(Scenario(nodes, spread(by_zone("labelSelector: {}, matchLabelKeys: [none]"))).on("a1") ==
        "ok");
  CHECK(Scenario(nodes, spread(by_zone("labelSelector: {matchLabels: {}}"))).on("a1") == "ok");
}

TEST_CASE("pods of other namespaces, terminating ones and those that have ended do not count") {
  const std::string other = running("w-0", "a1", "app: a", "", "other");
  CHECK(Scenario(kZones + other, spread(by_zone())).on("a1") == "ok");
  const std::string going =
      running("w-0", "a1", "app: a", "", "ml", "deletionTimestamp: \"2026-01-01T00:00:00Z\"");
  CHECK(Scenario(kZones + going, spread(by_zone())).on("a1") == "ok");
  std::string ended = running("w-0", "a1", "app: a");
  ended.replace(ended.find("Running"), 7, "Succeeded");
  CHECK(Scenario(kZones + ended, spread(by_zone())).on("a1") == "ok");
}

TEST_CASE("a pod that its own selector does not select is not counted itself") {
  const std::string one = kZones + running("w-0", "a1", "app: a");
  CHECK(Scenario(one, spread(by_zone(), "app: other")).on("a1") == "ok");
  const std::string two = one + running("w-1", "a1", "app: a");
  CHECK(Scenario(two, spread(by_zone(), "app: other")).on("a1") == kSkew);
}

TEST_CASE("with fewer domains than minDomains the emptiest counts as empty") {
  const std::string nodes =
      kZones + running("w-0", "a1", "app: a") + running("w-1", "b1", "app: a");
  const std::string selector = "labelSelector: {matchLabels: {app: a}}, minDomains: ";
  CHECK(Scenario(nodes, spread(by_zone(selector + "2"))).on("a1") == "ok");
  CHECK(Scenario(nodes, spread(by_zone(selector + "3"))).on("a1") == kSkew);
}

TEST_CASE("nodes that the pod's affinity rules out are domains only if the policy says so") {
  const std::string nodes =
      node("a1", "zone: a, pool: p") + node("b1", "zone: b") + running("w-0", "a1", "app: a");
  const std::string select = ", nodeSelector: {pool: p}";
  CHECK(Scenario(nodes, spread(by_zone(), "app: a", "ml", select)).on("a1") == "ok");
  const std::string ignore =
      by_zone("labelSelector: {matchLabels: {app: a}}, nodeAffinityPolicy: Ignore");
  CHECK(Scenario(nodes, spread(ignore, "app: a", "ml", select)).on("a1") == kSkew);
}

TEST_CASE("tainted nodes are domains, unless the policy honors taints; cordoned ones always are") {
  const std::string taint = "taints: [{key: k, effect: NoSchedule}]";
  const std::string nodes =
      node("a1", "zone: a") + node("b1", "zone: b", taint) + running("w-0", "a1", "app: a");
  CHECK(Scenario(nodes, spread(by_zone())).on("a1") == kSkew);
  const std::string honor =
      by_zone("labelSelector: {matchLabels: {app: a}}, nodeTaintsPolicy: Honor");
  CHECK(Scenario(nodes, spread(honor)).on("a1") == "ok");
  const std::string cordoned = node("a1", "zone: a") +
                               node("b1", "zone: b", "unschedulable: true") +
                               running("w-0", "a1", "app: a");
  CHECK(Scenario(cordoned, spread(honor)).on("a1") == kSkew);
}

TEST_CASE("where admission may tolerate the taint of a node, it may be a domain") {
  const std::string nodes = node("a1", "zone: a", "", "pods: 9, x.com/gpu: 4") +
                            node("b1", "zone: b", "taints: [{key: x.com/gpu, effect: NoSchedule}]",
                                 "pods: 9, x.com/gpu: 4") +
                            running("w-0", "a1", "app: a");
  const std::string honor =
      by_zone("labelSelector: {matchLabels: {app: a}}, nodeTaintsPolicy: Honor");
  const std::string manifest = test::pod(
      "containers: [{name: c, resources: {limits: {x.com/gpu: 1}}}], topologySpreadConstraints: [" +
          honor + "]",
      "app: a");
  CHECK(Scenario(nodes, manifest, {.extended_resource_toleration = true}).on("a1") == kSkew);
  CHECK(Scenario(nodes, manifest, {.extended_resource_toleration = false}).on("a1") == "ok");
  CHECK(Scenario(nodes, manifest).on("a1") ==
        "? which nodes count for topologySpreadConstraints is not known: admission may add "
        "tolerations");
}

TEST_CASE("matchLabelKeys tells a pod's own revision from others") {
  const std::string nodes = kZones + running("w-0", "a1", "app: a, rev: '1'");
  const std::string keys = by_zone("labelSelector: {matchLabels: {app: a}}, matchLabelKeys: [rev]");
  CHECK(Scenario(nodes, spread(keys, "app: a, rev: '1'")).on("a1") == kSkew);
  CHECK(Scenario(nodes, spread(keys, "app: a, rev: '2'")).on("a1") == "ok");
  CHECK(Scenario(nodes, spread(keys, "app: a")).on("a1") == kSkew);  // the key is ignored
}

TEST_CASE("a revision that only a controller knows leaves it open whether pods that run count") {
  const std::string nodes = kZones + running("w-0", "a1", "app: a, pod-template-hash: abc");
  const std::string deployment =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: ml}, spec: "
      "{selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: "
      "{containers: [{name: c, image: i}], topologySpreadConstraints: [" +
      by_zone("labelSelector: {matchLabels: {app: a}}, matchLabelKeys: [pod-template-hash]") +
      "]}}}}";
  const Scenario scenario(nodes, deployment);
  CHECK(scenario.on("a1") ==
        "? labels that a controller sets, such as pod-template-hash, are not known in advance");
  CHECK(scenario.on("b1") == "ok");
  // The Deployment's own replicas share it.
  Cluster cluster = scenario.cluster();
  cluster.place(scenario.pod(), 1);
  cluster.place(scenario.pod(), 1);
  CHECK(Scenario::on("b1", Diagnosis(scenario.pod(), cluster)) == kSkew);
}

TEST_CASE("of a namespace that is not known it is open which pods count") {
  const std::string nodes = kZones + running("w-0", "a1", "app: a");
  const Scenario scenario(nodes, spread(by_zone(), "app: a", ""));
  CHECK(scenario.on("a1") ==
        "? which pods run in its namespace is not known: metadata.namespace is not written");
  CHECK(scenario.on("b1") == "ok");
  CHECK(Scenario(kZones, spread(by_zone(), "app: a", "")).on("a1") == "ok");
  const std::string unnamed = kZones + running("w-0", "a1", "app: a", "", "");
  CHECK(Scenario(unnamed, spread(by_zone(), "app: a", "")).on("a1") == kSkew);
  CHECK(Scenario(unnamed, spread(by_zone())).on("a1") ==
        "? the namespace of pods that run on the nodes is not known");
}

TEST_CASE("a pool whose labels are not told may or may not have the topologyKey") {
  const std::string nodes = kZones + node_pool("pool") + running("w-0", "a1", "app: a");
  const Scenario scenario(nodes, spread(by_zone()));
  CHECK(scenario.on("pool").find(kNodeLabels + 2) != std::string::npos);
  CHECK(scenario.on("a1") == kSkew);
  CHECK(scenario.on("b1") == "ok");
}

TEST_CASE("nodes that do not exist yet are no domains for others, and empty ones for themselves") {
  const std::string hosts =
      "{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, "
      "labelSelector: {matchLabels: {app: a}}}";
  const std::string nodes =
      node("a1", "kubernetes.io/hostname: a1") + node_pool("pool") + running("w-0", "a1", "app: a");
  const Scenario scenario(nodes, spread(hosts));
  CHECK(scenario.on("a1") == "ok");
  Cluster cluster = scenario.cluster();
  const std::size_t pool = cluster.find_any("pool").value();
  cluster.place(scenario.pod(), pool);
  cluster.place(scenario.pod(), pool);
  CHECK(Scenario::on("a1", Diagnosis(scenario.pod(), cluster)) == "ok");
  CHECK(Scenario::on("pool", Diagnosis(scenario.pod(), cluster)).find(kSkew) == 0);
  // Another node in its place is a host of its own, and the one before it is still there.
  cluster.renew(pool);
  CHECK(Scenario::on("pool", Diagnosis(scenario.pod(), cluster)).find(kSkew) != 0);
  cluster.place(scenario.pod(), 0);
  CHECK(Scenario::on("a1", Diagnosis(scenario.pod(), cluster)) == "ok");
  cluster.place(scenario.pod(), 0);
  CHECK(Scenario::on("a1", Diagnosis(scenario.pod(), cluster)) == kSkew);
}

TEST_CASE("a node of a pool that was renewed is a domain without pods, if it has none") {
  const std::string hosts =
      "{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, "
      "labelSelector: {matchLabels: {app: a}}}";
  const std::string nodes =
      node("a1", "kubernetes.io/hostname: a1") + node_pool("pool") + running("w-0", "a1", "app: a");
  const Scenario scenario(nodes, spread(hosts) + test::pod("containers: []", "app: other"));
  Cluster cluster = scenario.cluster();
  const std::size_t pool = cluster.find_any("pool").value();
  cluster.place(scenario.pod(1), pool);
  CHECK(Scenario::on("a1", Diagnosis(scenario.pod(), cluster)) == kSkew);
  cluster.renew(pool);
  CHECK(Scenario::on("a1", Diagnosis(scenario.pod(), cluster)) == kSkew);
}

TEST_CASE("a pod that names its node is not spread") {
  const std::string nodes = kZones + running("w-0", "a1", "app: a");
  CHECK(Scenario(nodes, spread(by_zone(), "app: a", "ml", ", nodeName: a1")).on("a1") == "ok");
}

TEST_CASE("what is in the way of a spread is told with pods, domain and numbers") {
  const std::string nodes = kZones + node("x") + running("w-0", "a1", "app: a") +
                            running("w-1", "a1", "app: a") + running("w-2", "a1", "app: a") +
                            running("w-3", "a1", "app: a");
  const Scenario scenario(nodes, spread(by_zone()));
  CHECK(scenario.explained("a1") ==
        "maxSkew 1 is used up where label 'zone' is 'a': 4 of the pods that count run there (pods "
        "'ml/w-0', 'ml/w-1', 'ml/w-2' and 1 more), 0 where there are fewest");
  CHECK(scenario.explained("x") ==
        "has no label 'zone' (topologyKey of topologySpreadConstraints)");
  CHECK(scenario.explained("b1").empty());
}

TEST_CASE("hostile values in a spread are told without steering the terminal") {
  const std::string nodes = node("a1", R"("z\u001b": "v\u001b")") + node("b1", R"("z\u001b": w)") +
                            running(R"("w\u001b")", "a1", "app: a");
  const std::string constraint =
      R"({maxSkew: 1, topologyKey: "z\u001b", whenUnsatisfiable: DoNotSchedule, labelSelector: )"
      R"({matchLabels: {app: a}}})";
  const std::string text = Scenario(nodes, spread(constraint)).explained("a1");
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\\x1b") != std::string::npos);
}

}  // namespace cnsched::sim
