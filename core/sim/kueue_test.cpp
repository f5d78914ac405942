#include "core/sim/kueue.h"
#include "testdata/scenario.h"

namespace cnsched::sim::kueue_test {

std::string flavor(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: kueue.x-k8s.io/v1beta1, kind: ResourceFlavor, metadata: {name: " +
         name + "}, spec: {" + spec + "}}\n";
}

/// A LocalQueue `q` of namespace `ml`, whose ClusterQueue has one group with these flavors.
std::string queue(const std::string& flavors, const std::string& spec = "namespaceSelector: {}") {
  return "---\n{apiVersion: kueue.x-k8s.io/v1beta1, kind: LocalQueue, metadata: {name: q, "
         "namespace: ml}, spec: {clusterQueue: c}}\n---\n{apiVersion: kueue.x-k8s.io/v1beta1, "
         "kind: "
         "ClusterQueue, metadata: {name: c}, spec: {" +
         spec + ", resourceGroups: [{coveredResources: [cpu], flavors: [" + flavors + "]}]}}\n";
}

const std::string kFlavors =
    flavor("a", "nodeLabels: {pool: a}") + flavor("b", "nodeLabels: {pool: b}");
const std::string kAB =
    "{name: a, resources: [{name: cpu, nominalQuota: 8}]}, "
    "{name: b, resources: [{name: cpu, nominalQuota: 8}]}";

std::string queued(const std::string& spec = "", const std::string& cpu = "1",
                   const std::string& metadata = "") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: new, namespace: ml, labels: "
         "{kueue.x-k8s.io/queue-name: q}" +
         metadata +
         "}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: " + cpu + "}}}]" +
         spec + "}}\n";
}

/// The outlook as text: "q: 'a' | 'b'", and what is unknown or blocks.
std::string outlook(const std::string& text) {
  Workspace workspace;
  workspace.load({.files = {}, .cluster_files = {}, .memory_files = {{"in.yaml", text}}});
  const ClusterScope& scope = workspace.scopes().front();
  for (const Workload& workload : scope.workloads()) {
    Arena arena;
    const Pod pod = admitted(workload, {}, scope.index(), arena);
    const QueueOutlook outlook = queue_outlook(workload, pod, scope.index());
    std::string all(outlook.queue);
    all += ":";
    for (const FlavorChoice& choice : outlook.choices) all += " " + choice.text();
    return all + outlook.unknown + outlook.blocked;
  }
  return "no pod";
}

TEST_CASE("a queue gives a pod each flavor that the pod does not exclude") {
  CHECK(outlook(queue(kAB) + kFlavors + queued()) == "q: 'a' 'b'");
  CHECK(outlook(queue(kAB) + kFlavors + queued(", nodeSelector: {pool: b}")) == "q: 'b'");
  CHECK(outlook(queue(kAB) + kFlavors + queued(", nodeSelector: {disk: ssd}")) == "q: 'a' 'b'");
  CHECK(
      outlook(queue(kAB) + kFlavors +
              queued(", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                     "{nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: "
                     "[a]}]}]}}}")) == "q: 'a'");
  CHECK(outlook(queue(kAB) + flavor("a", "nodeTaints: [{key: t, effect: NoSchedule}]") +
                flavor("b",
                       "nodeTaints: [{key: t, effect: NoSchedule}], tolerations: [{key: t, "
                       "operator: Exists}]") +
                queued()) == "q: 'b'");
}

TEST_CASE("a queue says why it never admits a pod") {
  CHECK(outlook(queue(kAB, "cohort: ''") + kFlavors + queued()) ==
        "q:ClusterQueue 'c' has no namespaceSelector, so it admits nothing");
  CHECK(outlook(queue(kAB, "namespaceSelector: {}, stopPolicy: Hold") + kFlavors + queued()) ==
        "q:ClusterQueue 'c' is stopped (stopPolicy Hold)");
  CHECK(outlook(queue(kAB, "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: x}}") +
                kFlavors + queued()) ==
        "q:the namespaceSelector of ClusterQueue 'c' excludes namespace 'ml'");
  CHECK(outlook(queue(kAB) + kFlavors + queued("", "9")) ==
        "q:no ResourceFlavor of ClusterQueue 'c' takes it: 'a' (its quota of 'cpu' is 8, but one "
        "pod requests 9) and 'b' (its quota of 'cpu' is 8, but one pod requests 9)");
  CHECK(outlook(queue(kAB) + kFlavors + queued("", "1, memory: 1Gi")) ==
        "q:the pod requests 'memory', which no resource group of ClusterQueue 'c' covers");
}

TEST_CASE("what is not in the workspace is unknown") {
  CHECK(outlook(queued()) == "q:LocalQueue 'q'");
  CHECK(outlook(queue(kAB) + flavor("a", "") + queued()) == "q:ResourceFlavor 'b'");
}

TEST_CASE("a pod that requests a topology gets flavors with one, others those without") {
  const std::string mixed = flavor("a", "topologyName: racks") + flavor("b", "");
  const std::string all = flavor("a", "topologyName: racks") + flavor("b", "topologyName: racks");
  const std::string wants = ", annotations: {kueue.x-k8s.io/podset-required-topology: cloud/rack}";
  CHECK(outlook(queue(kAB) + mixed + queued()) == "q: 'b'");
  CHECK(outlook(queue(kAB) + mixed + queued("", "1", wants)) == "q: 'a'");
  CHECK(outlook(queue(kAB) + all + queued()) == "q: 'a' 'b'");
}

TEST_CASE("a LocalQueue named default may manage pods without a label") {
  std::string text = queue(kAB) + kFlavors + queued();
  for (const std::string_view name : {"name: q,", "queue-name: q"}) {
    text.replace(text.find(name), name.size(), name == "name: q," ? "name: default," : "other: q");
  }
  CHECK(outlook(text) == "default: 'a' 'b' without Kueue");
}

TEST_CASE("a pod of a queue fits only if it fits with every flavor") {
  const auto verdicts = [](const std::string& nodes) {
    Workspace workspace;
    workspace.load({.files = {},
                    .cluster_files = {},
                    .memory_files = {{"in.yaml", queue(kAB) + kFlavors + queued() + nodes}}});
    const Simulation simulation(workspace, {});
    const Diagnosis& diagnosis = *simulation.workloads().front().diagnosis;
    std::string text;
    for (std::size_t i = 0; i < diagnosis.cluster().size(); ++i) {
      constexpr std::string_view kLetters = "-?+";
      text += kLetters[static_cast<std::size_t>(diagnosis.fits(i))];
    }
    return text;
  };
  CHECK(verdicts(node("n1", "pool: a") + node("n2", "pool: b") + node("n3")) == "++-");
  CHECK(verdicts(node("n1", "pool: a") + node("n3")) == "?-");
  CHECK(verdicts(node("n3")) == "-");
}

}  // namespace cnsched::sim::kueue_test
