#include "core/change/compare.h"
#include "testdata/scenario.h"
#include "testdata/sides.h"

namespace cnsched::change::compare_test {

std::string value_of(const std::optional<std::string>& value) { return value.value_or("none"); }

/// "nodeSelector['pool']: l4 -> a100", a line for each fact.
std::string text_of(const std::vector<FactChange>& changes) {
  std::string text;
  for (const FactChange& change : changes) {
    text += fmt::format("{}{}: {} -> {}", text.empty() ? "" : "\n", change.name,
                        value_of(change.before), value_of(change.after));
  }
  return text;
}

/// What changes if the Deployment's pod spec does.
std::string changed(const std::string& before, const std::string& after) {
  const Compared there({{"a.yaml", deployment("d", before)}}, {{"a.yaml", deployment("d", after)}});
  const Compared back({{"a.yaml", deployment("d", after)}}, {{"a.yaml", deployment("d", before)}});
  REQUIRE(there.difference.pods.size() == back.difference.pods.size());
  if (there.difference.pods.empty()) return {};
  REQUIRE(there.difference.pods.size() == 1);
  std::vector<FactChange> mirrored = back.difference.pods.front().facts;
  for (FactChange& change : mirrored) std::swap(change.before, change.after);
  const std::string text = text_of(there.difference.pods.front().facts);
  CHECK(text_of(mirrored) == text);
  return text;
}

std::string with_container(const std::string& resources) {
  return "containers: [{name: c, resources: {" + resources + "}}]";
}

std::string line_of(const Place& place, const Workspace& workspace) {
  constexpr const char* kKinds[] = {"", "", "from ", "in "};
  if (place.kind == Place::Kind::none) return "-";
  return kKinds[static_cast<std::size_t>(place.kind)] +
         describe_line(place.where, workspace.sources);
}

/// "svc.yaml:3 -> from runtime.yaml:7" of the only change.
std::string places_of(const Compared& compared) {
  REQUIRE(compared.difference.pods.size() == 1);
  REQUIRE(compared.difference.pods.front().facts.size() == 1);
  const FactChange& change = compared.difference.pods.front().facts.front();
  return line_of(change.before_at, compared.before.workspace()) + " -> " +
         line_of(change.after_at, compared.after.workspace());
}

std::string verdicts_of(const PodChange& pod) {
  return to_string(pod.verdict_before) + " -> " + to_string(pod.verdict_after);
}

std::string gpu_node(std::string_view name, std::string_view taints = "",
                     std::string_view product = "NVIDIA-L4") {
  return node(name, fmt::format("pool: gpu, nvidia.com/gpu.product: {}", product),
              fmt::format("taints: [{}]", taints),
              "cpu: 8, memory: 32Gi, pods: 10, nvidia.com/gpu: 4");
}

constexpr const char* kTraining = "{key: dedicated, value: training, effect: NoSchedule}";
const std::string kGpuPod = with_container("limits: {nvidia.com/gpu: 1}");

TEST_CASE("two spellings of one pod do not differ") {
  const std::vector<std::pair<std::string, std::string>> equal = {
      {"nodeSelector: {a: b, c: d}", "nodeSelector: {'c': \"d\", a: b} # comment"},
      {"tolerations: [{key: a, value: b}, {key: c, operator: Exists}]",
       "tolerations: [{key: c, operator: Exists}, {key: a, operator: Equal, value: b}]"},
      {"containers: []", "containers: [], schedulerName: default-scheduler, tolerations: []"},
      {"containers: []",
       "tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, "
       "tolerationSeconds: 300}]"},
      {with_container("limits: {cpu: 1000m, memory: 1Gi}"),
       with_container("limits: {memory: 1073741824, cpu: 1}, requests: {cpu: '1'}")},
      {with_container("requests: {cpu: 0.5}"), with_container("requests: {cpu: 500m}")},
      {"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [x, y]}, {key: b, "
       "operator: Exists}]}]}}}",
       "affinity: {podAffinity: {}, nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "{nodeSelectorTerms: [{matchExpressions: [{key: b, operator: Exists}, {values: [y, x], key: "
       "a, operator: In}]}]}}}"},
      {"topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, "
       "labelSelector: {matchLabels: {a: b}}}]",
       "topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, "
       "minDomains: 1, nodeAffinityPolicy: Honor, nodeTaintsPolicy: Ignore, labelSelector: "
       "{matchExpressions: [{key: a, operator: In, values: [b]}]}}]"},
      {"affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "[{topologyKey: z, labelSelector: {}}]}}",
       "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "[{topologyKey: z, namespaces: [ml], labelSelector: {}}]}}"},
      {"containers: [{name: c, image: a}]", "containers: [{name: c, image: b, env: [{name: X}]}]"},
      {"hostNetwork: false", "volumes: [{name: v, configMap: {name: c}}]"},
      {"containers: [{name: c, ports: [{hostPort: 80}]}]",
       "containers: [{name: c, ports: [{hostPort: 80, protocol: TCP, hostIP: 0.0.0.0}]}]"},
  };
  for (const auto& [a, b] : equal) {
    CAPTURE(b);
    CHECK(changed(a, b).empty());
  }
}

TEST_CASE("names each fact that differs") {
  CHECK(changed("nodeSelector: {pool: l4}", "nodeSelector: {pool: a100, zone: b}") ==
        "nodeSelector['pool']: l4 -> a100\nnodeSelector['zone']: none -> b");
  CHECK(changed("tolerations: [{key: dedicated, value: ml, effect: NoSchedule}]",
                "tolerations: [{key: dedicated, operator: Exists}]") ==
        "tolerations['dedicated']: dedicated=ml:NoSchedule -> dedicated op=Exists");
  CHECK(changed("tolerations: [{operator: Exists}]", "tolerations: []") ==
        "tolerations: op=Exists -> none\n"
        "tolerations['node.kubernetes.io/not-ready']: none -> "
        "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s\n"
        "tolerations['node.kubernetes.io/unreachable']: none -> "
        "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s");
  CHECK(changed("containers: []",
                "schedulerName: volcano, priorityClassName: high, "
                "runtimeClassName: nvidia, schedulingGates: [{name: g}]") ==
        "runtimeClassName: none -> nvidia\npriorityClassName: none -> high\n"
        "schedulerName: none -> volcano\nschedulingGates: none -> g");
  CHECK(changed("volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]",
                "volumes: [{name: v, persistentVolumeClaim: {claimName: b}}]") ==
        "volumes['v']: claim a -> claim b");
  CHECK(changed("affinity: {}",
                "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                "[{weight: 5, preference: {matchExpressions: [{key: a, operator: NotIn, values: "
                "[x]}]}}]}}") == "nodeAffinity, preferred: none -> a notin (x) (weight 5)");
}

TEST_CASE("joins a request and a limit that change alike") {
  CHECK(changed(with_container("limits: {nvidia.com/gpu: 1, cpu: 1}"),
                with_container("limits: {nvidia.com/gpu: 2, cpu: 1}")) ==
        "requests and limits['nvidia.com/gpu'] of container 'c': 1 -> 2");
  CHECK(changed(with_container("requests: {memory: 1Gi}"),
                with_container("requests: {memory: 1536Mi}")) ==
        "requests['memory'] of container 'c': 1Gi -> 1536Mi");
  CHECK(changed(with_container("requests: {cpu: 1}, limits: {cpu: 2}"),
                with_container("limits: {cpu: 2}")) == "requests['cpu'] of container 'c': 1 -> 2");
}

TEST_CASE("labels differ only if a selector reads them") {
  const std::string spread =
      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, "
      "labelSelector: {matchLabels: {app: x}}}]";
  const Compared read({{"a.yaml", deployment("d", spread, "app: x, chart: v1")}},
                      {{"a.yaml", deployment("d", spread, "app: y, chart: v2")}});
  REQUIRE(read.difference.pods.size() == 1);
  CHECK(text_of(read.difference.pods.front().facts) == "labels['app']: x -> y");
  const Compared unread({{"a.yaml", deployment("d", "", "app: x")}},
                        {{"a.yaml", deployment("d", "", "app: y")}});
  CHECK(unread.difference.is_empty());
}

TEST_CASE("names the line of each value, in whatever file") {
  const std::string service =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: llama}\n"
      "spec:\n  predictor:\n    model:\n      modelFormat: {name: a}\n      runtime: ";
  const auto runtime = [](const std::string& name, const std::string& selector) {
    return "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: " +
           name + "}\nspec:\n  supportedModelFormats: [{name: a}]\n" + selector +
           "  containers: [{name: kserve-container, image: i}]\n";
  };
  const MemoryFile one{"one.yaml", runtime("one", "  nodeSelector:\n    pool: l4\n")};
  const MemoryFile two{"two.yaml", runtime("two", "\n\n  nodeSelector:\n    pool: a100\n")};
  const MemoryFile three{"three.yaml", runtime("three", "")};
  const MemoryFile on_one{"svc.yaml", service + "one\n"};
  const MemoryFile on_two{"svc.yaml", service + "two\n"};
  const MemoryFile on_three{"svc.yaml", service + "three\n"};
  CHECK(places_of(Compared({on_one, one, two}, {on_two, one, two})) == "one.yaml:7 -> two.yaml:9");
  // What lacks the value is the runtime that is named now.
  CHECK(places_of(Compared({on_one, one, three}, {on_three, one, three})) ==
        "one.yaml:7 -> in svc.yaml:8");
}

TEST_CASE("a removed value names the list that lost it") {
  const auto manifest = [](const std::string& tolerations) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: []\n" +
           tolerations;
  };
  const std::string both =
      "  tolerations:\n  - {key: a, operator: Exists}\n  - {key: b, operator: Exists}\n";
  const std::string one = "  tolerations:\n  - {key: a, operator: Exists}\n";
  CHECK(places_of(Compared({{"p.yaml", manifest(both)}}, {{"p.yaml", manifest(one)}})) ==
        "p.yaml:8 -> in p.yaml:6");
  CHECK(places_of(Compared({{"p.yaml", manifest(one)}}, {{"p.yaml", manifest("")}})) ==
        "p.yaml:7 -> in p.yaml:4");
}

TEST_CASE("matches pods by object, in any file, and finds renamed ones") {
  const std::string spec = "nodeSelector: {pool: l4}, " + kGpuPod;
  const std::string other = "containers: [{name: x, image: y, args: [a, b, c]}]";
  const auto kinds = [](const Compared& compared) {
    std::string text;
    for (const PodChange& pod : compared.difference.pods) {
      text += fmt::format(
          "{}:{}>{} ", static_cast<int>(pod.kind),
          pod.before == nullptr ? "" : std::string_view(pod.before->workload->object->name),
          pod.after == nullptr ? "" : std::string_view(pod.after->workload->object->name));
    }
    return text;
  };
  const Compared moved({{"a.yaml", deployment("a", spec)}}, {{"b.yaml", deployment("a", spec)}});
  CHECK(moved.difference.is_empty());
  const Compared renamed({{"a.yaml", deployment("a", spec) + deployment("x", other)}},
                         {{"a.yaml", deployment("b", spec) + deployment("x", other)}});
  CHECK(kinds(renamed) == "1:a>b ");
  CHECK(kinds(Compared({{"a.yaml", deployment("a", spec)}},
                       {{"a.yaml", deployment("b", other)}})) == "3:a> 2:>b ");
  // Of several, the most similar one.
  CHECK(kinds(Compared(
            {{"a.yaml", deployment("a", spec + ", nodeName: n")}},
            {{"a.yaml", deployment("b", spec) + deployment("c", spec + ", nodeName: n")}})) ==
        "1:a>c 2:>b ");
}

TEST_CASE("shows a pod whose verdict alone changes, and the line of the node that changed it") {
  const std::string pods = deployment("d", kGpuPod);
  const Compared compared(
      {{"n.yaml", gpu_node("g1") + gpu_node("g2") + gpu_node("g3", kTraining), false, true},
       {"p.yaml", pods}},
      {{"n.yaml", gpu_node("g1", kTraining) + gpu_node("g2", kTraining) + gpu_node("g3", kTraining),
        false, true},
       {"p.yaml", pods}});
  REQUIRE(compared.difference.pods.size() == 1);
  const PodChange& pod = compared.difference.pods.front();
  CHECK(pod.facts.empty());
  CHECK(verdicts_of(pod) ==
        "fits 2 of 3 nodes -> fits nowhere: taint 'dedicated=training:NoSchedule' is not tolerated "
        "(Node 'g1')");
  CHECK(pod.lost_last_node());
  CHECK(compared.difference.is_worse());
  CHECK(text_of(pod.causes) ==
        "taints['dedicated'] of Node 'g1' and 1 other: none -> dedicated=training:NoSchedule");
  CHECK(line_of(pod.causes.front().after_at, compared.after.workspace()) == "n.yaml:2");
}

TEST_CASE("a verdict changes with the nodes that fit, not with others") {
  const std::string pods = deployment("d", kGpuPod);
  const auto compared = [&](const std::string& before, const std::string& after) {
    const Compared result({{"n.yaml", before, false, true}, {"p.yaml", pods}},
                          {{"n.yaml", after, false, true}, {"p.yaml", pods}});
    if (result.difference.pods.empty()) return std::string();
    const PodChange& pod = result.difference.pods.front();
    CHECK_FALSE(pod.is_worse());
    return verdicts_of(pod) + "; " + text_of(pod.causes);
  };
  CHECK(compared(gpu_node("g1"), gpu_node("g1") + node("cpu")).empty());
  CHECK(compared(gpu_node("g1"), gpu_node("g1") + gpu_node("g2")) ==
        "fits 1 of 1 node -> fits 2 of 2 nodes; Node 'g2': none -> exists");
  CHECK(compared(gpu_node("g1"), gpu_node("g2")) ==
        "fits 1 of 1 node -> fits 1 of 1 node; Node 'g1': exists -> none\nNode 'g2': none -> "
        "exists");
  CHECK(compared("", gpu_node("g2")) ==
        "no node is known -> fits 1 of 1 node; Node 'g2': none -> exists");
}

TEST_CASE("names the accelerators of the nodes that fit, or those that the pod selects") {
  const auto devices = [](const std::string& nodes, const std::string& spec) {
    const Compared compared({{"p.yaml", ""}},
                            {{"n.yaml", nodes, false, true}, {"p.yaml", deployment("d", spec)}});
    REQUIRE(compared.difference.pods.size() == 1);
    std::string text;
    for (const Devices& each : compared.difference.pods.front().devices_after) {
      text += to_string(each);
    }
    return text;
  };
  CHECK(devices(gpu_node("g1"), kGpuPod) == "nvidia-l4 ×1");
  CHECK(devices(gpu_node("g1") + gpu_node("g2", "", "NVIDIA-A100-SXM4-80GB"), kGpuPod) ==
        "nvidia-a100-80gb or nvidia-l4 ×1");
  const std::string pool =
      "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec: {template: "
      "{spec: {requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: "
      "[g6.xlarge]}]}}}\n";
  CHECK(devices(pool, kGpuPod) == "nvidia-l4 ×1");
  CHECK(devices("", kGpuPod) == "nvidia.com/gpu ×1");
  CHECK(devices("", "nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}, " + kGpuPod) ==
        "nvidia-l4 ×1");
  CHECK(devices("", with_container("limits: {nvidia.com/mig-1g.5gb: 2}")) ==
        "nvidia.com/mig-1g.5gb ×2");
}

TEST_CASE("with replicas, shows which workload lost its place") {
  const auto scaled = [](std::string_view name, int replicas) {
    return fmt::format(
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {}, namespace: ml}}\nspec: "
        "{{replicas: {}, template: {{spec: {{{}}}}}}}\n",
        name, replicas, kGpuPod);
  };
  const Compared compared(
      {{"n.yaml", gpu_node("g1"), false, true}, {"p.yaml", scaled("a", 2) + scaled("b", 2)}},
      {{"n.yaml", gpu_node("g1"), false, true}, {"p.yaml", scaled("a", 3) + scaled("b", 2)}}, true);
  REQUIRE(compared.difference.pods.size() == 2);
  const PodChange& a = compared.difference.pods[0];
  CHECK(text_of(a.facts) == "replicas: 2 -> 3");
  CHECK_FALSE(a.is_worse());
  const PodChange& b = compared.difference.pods[1];
  CHECK(b.facts.empty());
  CHECK(verdicts_of(b) ==
        "fits 1 of 1 node; 2 of 2 replicas placed -> fits 1 of 1 node; 1 of 2 replicas placed");
  CHECK(b.lost_replicas());
}

TEST_CASE("adds up what the pods request, and what it costs") {
  const std::string service =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: s}\n"
      "spec: {predictor: {minReplicas: 2, maxReplicas: 5, containers: [{name: c, image: i, "
      "resources: "
      "{limits: {nvidia.com/gpu: 2, cpu: 500m, memory: 1Gi}}}]}}\n";
  const Compared compared({{"p.yaml", ""}},
                          {{"n.yaml", gpu_node("g1"), false, true}, {"p.yaml", service}});
  const Totals& totals = compared.difference.after;
  CHECK(totals.pods == AmountRange{2, 5});
  REQUIRE(totals.accelerators.size() == 1);
  const auto& [kind, range] = *totals.accelerators.begin();
  CHECK(kind == AcceleratorKind{"nvidia.com/gpu", "nvidia-l4", ""});
  CHECK(range == AmountRange{4, 10});
  CHECK(totals.accelerators_of("nvidia.com/gpu") == 10);
  const auto cost = cost_of(totals, {{"nvidia.com/gpu", {{"NVIDIA-L4", 0.5}}}});
  REQUIRE(cost);
  CHECK(cost->per_hour == AmountRange{2, 5});
  CHECK(cost->unpriced.empty());
  CHECK(cost_of(totals, {{"nvidia.com/gpu", {{"NVIDIA-T4", 0.5}}}})->unpriced.size() == 1);
  CHECK_FALSE(cost_of(totals, {}));
}

TEST_CASE("a side does not differ from itself") {
  std::size_t pods = 0;
  for (const auto& folder : std::filesystem::directory_iterator(project_file("testdata/pods"))) {
    CAPTURE(folder.path().string());
    const std::string text = read_all(folder.path() / "in.yaml");
    const Compared same({{"in.yaml", gpu_node("g") + "---\n" + text}},
                        {{"other.yaml", gpu_node("g") + "---\n" + text}}, true);
    CHECK(same.difference.is_empty());
    pods += same.before.simulation().workloads().size();
  }
  CHECK(pods > 50);
}

TEST_CASE("a pod that is no longer created has only a verdict") {
  const std::string before = deployment("d", "nodeSelector: {a: b}, containers: [{name: c}]");
  const Compared same({{"a.yaml", before}}, {{"a.yaml", before}});
  CHECK(same.difference.is_empty());
  const Compared gone({{"a.yaml", before}}, {{"a.yaml", ""}});
  REQUIRE(gone.difference.pods.size() == 1);
  CHECK(gone.difference.pods.front().kind == PodChange::Kind::removed);
  CHECK(gone.difference.after == Totals{});
}

}  // namespace cnsched::change::compare_test
