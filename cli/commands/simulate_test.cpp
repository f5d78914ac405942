#include <nlohmann/json.hpp>

#include "cli/output/json.h"
#include "testdata/support.h"

namespace cnsched::cli::simulate_test {

const std::string kNodes = R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: gpu-1, labels: {pool: inference}}
  spec:
    taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]
  status:
    allocatable: {cpu: "8", memory: 32Gi, ephemeral-storage: 100Gi, pods: "110", nvidia.com/gpu: "1"}
- apiVersion: v1
  kind: Node
  metadata: {name: cpu-1, labels: {pool: general}}
  status:
    allocatable: {cpu: "4", memory: 16Gi, ephemeral-storage: 100Gi, pods: "110"}
)";

const std::string kServer = R"(apiVersion: v1
kind: Pod
metadata: {name: server, namespace: ml}
spec:
  nodeSelector: {pool: inferance}
  tolerations: [{key: nvidia.com/gpu, operator: Exists}]
  containers:
  - name: server
    image: server
    resources: {limits: {nvidia.com/gpu: 1}}
)";

std::string deployment(const std::string& name, int replicas, const std::string& cpu) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
         ", namespace: ml}\nspec:\n  replicas: " + std::to_string(replicas) +
         "\n  selector: {matchLabels: {app: " + name +
         "}}\n  template:\n    metadata: {labels: {app: " + name +
         "}}\n    spec:\n      containers:\n      - name: web\n        image: web\n" +
         "        resources: {requests: {cpu: \"" + cpu + "\"}}\n";
}

Ran simulate(const std::vector<std::string>& arguments) {
  return run_program({"simulate"}, arguments);
}

Json simulate_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  return Json::parse(simulate(arguments).out);
}

/// The text of a comment or a table that was wrapped, on one line.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '#';
    if (!is_blank) line += c;
    if (is_blank && !line.ends_with(' ')) line += ' ';
  }
  return line;
}

/// An InferenceService in that deployment mode; if `mode` is empty, no mode is set.
std::string service(const std::string& mode, const std::string& predictor) {
  const std::string annotation =
      mode.empty() ? "" : ", annotations: {serving.kserve.io/deploymentMode: " + mode + "}";
  return inference_service(predictor, "name: m, namespace: ml" + annotation);
}

/// The container of a custom predictor.
const std::string kContainer = "containers: [{name: kserve-container, image: i}]";

std::string features(const std::string& state) {
  return "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features, namespace: "
         "knative-serving}\ndata: {kubernetes.podspec-nodeselector: " +
         state + "}\n";
}

/// The verdict and the reasons of the first workload on node cpu-1.
std::string on_cpu_node(const std::string& manifest) {
  const Repository files({{"nodes.yaml", kNodes}, {"in.yaml", manifest}});
  const Json json = simulate_json({"in.yaml", "--cluster", "nodes.yaml"});
  const Json& workload = json.at("workloads").at(0);
  if (workload.contains("neverCreated"))
    return "never: " + workload["neverCreated"].get<std::string>();
  for (const Json& node : workload.at("nodes")) {
    if (node.at("name") != "cpu-1") continue;
    std::string text = node.at("verdict").get<std::string>();
    for (const Json& reason : node.at("reasons")) text += ": " + reason.get<std::string>();
    return text;
  }
  return "no node";
}

/// A queue `q` of namespace `ml` that gives its pods the flavor `inference` or `general`.
const std::string kQueue = R"(---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: q, namespace: ml}
spec: {clusterQueue: all}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - {name: inference, resources: [{name: cpu, nominalQuota: 64}]}
    - {name: general, resources: [{name: cpu, nominalQuota: 64}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: inference}
spec: {nodeLabels: {pool: inference}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: general}
spec: {nodeLabels: {pool: general}}
)";

const std::string kQueued = R"(---
apiVersion: v1
kind: Pod
metadata: {name: queued, namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}
)";

TEST_CASE("a pod that preempts does not fail; the victims are named") {
  const auto running = [](const std::string& name, int priority) {
    return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
           ", namespace: ml, labels: {app: x}}\nspec: {nodeName: cpu-1, priority: " +
           std::to_string(priority) +
           ", containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]}\nstatus: {phase: "
           "Running}\n";
  };
  const std::string facts =
      kNodes + running("batch-7", 0) + running("batch-9", 0) +
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: "
      "100\n---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: batch, "
      "namespace: ml}\nspec: {selector: {matchLabels: {app: x}}}\nstatus: {disruptionsAllowed: "
      "1}\n";
  std::string manifest = deployment("web", 1, "4");
  manifest.replace(manifest.find("      containers:"), 0, "      priorityClassName: high\n");
  const Repository files({{"cluster.yaml", facts}, {"in.yaml", manifest}});
  const Ran ran = simulate({"in.yaml", "--cluster", "cluster.yaml", "--explain", "web"});
  CHECK(ran.exit == 0);
  CHECK(has(on_one_line(ran.out),
            "preempts preemption would evict batch-9 and batch-7 (priority 0) on node cpu-1, which "
            "violates PodDisruptionBudget 'batch'; the pod starts there after they have ended"));
  CHECK(has(ran.err, "simulated 1 workload: 0 fit, 0 nowhere, 1 preempts;"));
  const Json workload =
      simulate_json({"in.yaml", "--cluster", "cluster.yaml", "--replicas"})["workloads"][0];
  CHECK(workload["feasible"] == 0);
  const Json expected = Json::parse(
      R"({"node": "cpu-1", "victims": [
        {"namespace": "ml", "name": "batch-9", "priority": 0, "violatedBudgets": []},
        {"namespace": "ml", "name": "batch-7", "priority": 0, "violatedBudgets": ["batch"]}]})");
  CHECK(workload["placement"]["evictions"] == Json::array({expected}));
  CHECK(workload["preemption"]["victims"] == expected["victims"]);
  const Ran page = simulate({"in.yaml", "--cluster", "cluster.yaml", "--format", "html"});
  CHECK(page.exit == 0);
  CHECK(has(page.out, "↑ preempts: 1</em>"));
  CHECK(has(page.out, "preemption would evict batch-9 and batch-7"));
}

TEST_CASE("a pod of a Kueue queue has a verdict for each flavor") {
  const Repository files({{"nodes.yaml", kNodes}, {"in.yaml", kQueued}, {"queue.yaml", kQueue}});
  const Ran ran = simulate({"in.yaml", "--cluster", "nodes.yaml", "--cluster", "queue.yaml"});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out, "flavor      'inference': infeasible: 0/2 nodes are available"));
  CHECK(has(ran.out, "flavor      'general': ok on cpu-1"));
  CHECK(has(ran.out, "Kueue may assign 'inference', with which"));
  CHECK(has(ran.out, "scheduling gate until Kueue admits it to LocalQueue"));
  CHECK(has(ran.err, "0 fit, 0 nowhere, 1 unknown"));
  const Json json =
      simulate_json({"in.yaml", "--cluster", "nodes.yaml", "--cluster", "queue.yaml"});
  const Json& queue = json.at("workloads").at(0).at("queue");
  CHECK(queue.at("localQueue") == "q");
  CHECK(queue.at("choices").at(1).at("flavors") == Json({"general"}));
  CHECK(queue.at("choices").at(1).at("feasibleNodes") == Json({"cpu-1"}));
}

TEST_CASE("a pod that Kueue never admits fits nowhere") {
  std::string stopped = kQueue;
  stopped.replace(stopped.find("{clusterQueue: all}"), 19, "{clusterQueue: all, stopPolicy: Hold}");
  const Repository files({{"nodes.yaml", kNodes}, {"in.yaml", kQueued}, {"queue.yaml", stopped}});
  const Ran ran = simulate({"in.yaml", "--cluster", "nodes.yaml", "--cluster", "queue.yaml"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "Kueue never admits the pod: LocalQueue 'q' is stopped"));
}

TEST_CASE("a queue or a profile that is not known makes the verdict unknown") {
  CHECK(on_cpu_node(kQueued) ==
        "unknown: LocalQueue 'q' is not in this run: it may add requirements to the pod");
  const std::string service =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a, "
      "namespace: ml, annotations: {serving.kserve.io/deploymentMode: RawDeployment, "
      "opendatahub.io/hardware-profile-name: gpu}}\nspec: {predictor: {nodeSelector: {pool: "
      "other}, "
      "containers: [{name: kserve-container, image: i}]}}\n";
  CHECK(on_cpu_node(service) ==
        "unknown: HardwareProfile 'gpu' is not in this run: it may replace labels of nodeSelector: "
        "HardwareProfile 'gpu' is not in this run: it may add requirements to the pod");
}

TEST_CASE("render, lint and simulate agree on a field that Knative may reject") {
  const std::string selects = "nodeSelector: {pool: general}, " + kContainer;
  const std::string unknown =
      "whether Knative accepts 'nodeSelector' (flag 'kubernetes.podspec-nodeselector')";
  for (const std::string mode : {"Serverless", ""}) {
    CAPTURE(mode);
    const Repository files({{"nodes.yaml", kNodes}, {"in.yaml", service(mode, selects)}});
    const Ran rendered = run_program({"render", "in.yaml"});
    CHECK(has(on_one_line(rendered.out), "unknown: " + unknown));
    const Ran linted = run_program({"lint", "in.yaml", "--format", "concise"});
    CHECK(has(linted.out, "knative-feature-disabled"));
    const Ran simulated = simulate({"in.yaml", "--cluster", "nodes.yaml"});
    CHECK(has(on_one_line(simulated.out), unknown + " is not known"));
    CHECK(has(simulated.err, "simulated 1 workload: 0 fit, 0 nowhere, 1 unknown"));
    CHECK(simulated.exit == 0);
  }
  CHECK(on_cpu_node(service("Serverless", selects)) == "unknown: " + unknown + " is not known");
  CHECK(on_cpu_node(service("Serverless", selects) + features("enabled")) == "ok");
  CHECK(on_cpu_node(service("Serverless", selects) + features("disabled")) ==
        "never: Knative rejects 'nodeSelector' when KServe creates the Knative Service: its flag "
        "'kubernetes.podspec-nodeselector' is off");
  CHECK(on_cpu_node(service("", selects) + features("enabled")) == "ok");
  CHECK(on_cpu_node(service("", selects) + features("disabled")) ==
        "unknown: the deployment mode (Knative rejects 'nodeSelector': its flag "
        "'kubernetes.podspec-nodeselector' is off) is not known");
  CHECK(on_cpu_node(service("RawDeployment", selects)) == "ok");
  CHECK(on_cpu_node(service("RawDeployment", selects) + features("disabled")) == "ok");
  CHECK(on_cpu_node(service("Serverless", kContainer)) == "ok");
}

TEST_CASE("a node that does not fit is infeasible, even if part of the pod is unknown") {
  CHECK(on_cpu_node(service("Serverless", "nodeSelector: {pool: other}, " + kContainer)) ==
        "infeasible: node(s) didn't match Pod's node affinity/selector");
}

TEST_CASE("the verdict is unknown if an unknown may remove or move the pod") {
  CHECK(on_cpu_node(service("", "nodeName: cpu-1, " + kContainer)) ==
        "unknown: the deployment mode (Knative drops 'nodeName') is not known");
  CHECK(on_cpu_node(service("", "restartPolicy: Always, " + kContainer)) == "ok");
  CHECK(on_cpu_node(service("RawDeployment", "model: {modelFormat: {name: x}, runtime: absent}")) ==
        "unknown: ServingRuntime 'absent' is not in this run: it may add requirements to the pod");
}

TEST_CASE("an unknown that does not affect placement is printed as an assumption") {
  const auto assumed = [](const std::string& manifest) {
    const Repository files({{"nodes.yaml", kNodes}, {"in.yaml", manifest}});
    std::string text = on_one_line(simulate({"in.yaml", "--cluster", "nodes.yaml"}).out);
    text.resize(text.find(" assumed: nodes are empty"));
    const std::size_t at = text.find("assumed ");
    return at == std::string::npos ? "nothing"
                                   : text.substr(at, text.find_last_not_of(' ') + 1 - at);
  };
  CHECK(assumed(service("", kContainer)) ==
        "assumed the deployment mode is not known: simulated as Standard");
  CHECK(assumed(service("Standard", kContainer)) == "nothing");
  CHECK(has(assumed(service("Standard", "model: {modelFormat: {name: x}}")),
            "adds no fields (it is not among the files)"));
}

TEST_CASE("replicas of a pod that may be created are placed") {
  const Repository files(
      {{"nodes.yaml", kNodes},
       {"in.yaml", service("Serverless", "nodeSelector: {pool: general}, " + kContainer)}});
  const Ran ran = simulate({"in.yaml", "--cluster", "nodes.yaml", "--replicas"});
  CHECK(has(ran.out, "1 of 1 placed: cpu-1"));
  CHECK(ran.exit == 0);
}

TEST_CASE("replicas for which --max-steps leaves no steps are unknown") {
  const std::string roomy =
      "apiVersion: v1\nkind: Node\nmetadata: {name: roomy}\nstatus: {allocatable: {cpu: 9000, "
      "memory: 1Gi, pods: 9000}}\n";
  const Repository files({{"nodes.yaml", roomy}, {"in.yaml", deployment("web", 900, "1")}});
  const std::vector<std::string> all = {"in.yaml", "--cluster", "nodes.yaml", "--replicas"};
  CHECK(has(simulate(all).out, "900 of 900 placed: roomy x900"));
  CHECK(simulate(all).exit == 0);
  std::vector<std::string> few = all;
  few.insert(few.end(), {"--max-steps", "200000"});
  const Ran ran = simulate(few);
  CHECK(ran.exit == 3);
  const std::string why = "the 200000 steps of the run do not suffice (--max-steps permits more)";
  CHECK(has(on_one_line(ran.out), "the others are unknown: " + why));
  CHECK(has(ran.err, "error: " + why));
  const Json placement = simulate_json(few)["workloads"][0]["placement"];
  CHECK(placement["isUnknown"] == true);
  CHECK(placement["placed"] < 900);
  CHECK(placement["event"] == why);
  CHECK_FALSE(simulate_json(all)["workloads"][0]["placement"].contains("isUnknown"));
  few.insert(few.end(), {"--format", "html"});
  CHECK(has(simulate(few).out, "the others are unknown: " + why));
}

TEST_CASE("a file that is both PATH and --cluster is read once, even under different names") {
  const std::string pod =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: "
      "i, resources: {requests: {cpu: 100}}}]}\n";
  const Repository files({{"all.yaml", kNodes + pod}, {"a/other.yaml", "a: b\n"}});
  std::filesystem::create_symlink("all.yaml", "soft.yaml");
  std::filesystem::create_hard_link("all.yaml", "hard.yaml");
  for (const std::string fact :
       {"all.yaml", "./all.yaml", "a/../all.yaml", "soft.yaml", "hard.yaml"}) {
    CAPTURE(fact);
    const Json json = simulate_json({"all.yaml", "--cluster", fact, "--cluster", "all.yaml"});
    REQUIRE(json["workloads"].size() == 1);
    CHECK(json["workloads"][0]["total"] == 2);
    CHECK(has(json["workloads"][0]["event"].get<std::string>(), "0/2 nodes are available"));
  }
  const Json all = simulate_json({"all.yaml", "./all.yaml", "soft.yaml", "hard.yaml"});
  REQUIRE(all["workloads"].size() == 1);
  CHECK(all["workloads"][0]["total"] == 2);
}

TEST_CASE("simulate shows the event, all nodes, and edits that make the pod fit") {
  const Repository folder({{"nodes.yaml", kNodes}, {"pod.yaml", kServer}});
  const Ran ran = simulate({"pod.yaml", "--cluster", "nodes.yaml"});
  CHECK(ran.exit == 1);
  CHECK(ran.out ==
        "Pod 'server' (pod.yaml:1)\n"
        "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. no\n"
        "new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is\n"
        "not helpful for scheduling.\n"
        "  infeasible  gpu-1\n"
        "              - label 'pool' is 'inference', not 'inferance'\n"
        "  infeasible  cpu-1\n"
        "              - label 'pool' is 'general', not 'inferance'\n"
        "              - requests 1 nvidia.com/gpu, the node has none\n"
        "  nearest     gpu-1\n"
        "              - label 'pool' is 'inference', not 'inferance'\n"
        "  change      set 'pool' in nodeSelector to 'inference' (pod.yaml:5): then it\n"
        "              fits gpu-1\n"
        "  change      remove 'pool' from nodeSelector (pod.yaml:5): then it fits gpu-1\n"
        "\n"
        "assumed: nodes are empty, as no running pods are given (see 'cnsched snapshot')\n"
        "\n");
  CHECK(has(ran.err, "simulated 1 workload: 0 fit, 1 nowhere; checked 1 object"));
}

TEST_CASE("simulate exits with 0 if every pod fits or may fit") {
  const Repository folder({{"nodes.yaml", kNodes},
                           {"fits.yaml", deployment("web", 1, "4")},
                           {"volume.yaml",
                            "apiVersion: v1\nkind: Pod\nmetadata: {name: v}\nspec:\n"
                            "  volumes: [{name: m, persistentVolumeClaim: {claimName: m}}]\n"
                            "  containers: [{name: c, image: c}]\n"}});
  CHECK(simulate({"fits.yaml", "--cluster", "nodes.yaml"}).exit == 0);
  const Ran ran = simulate({"volume.yaml", "--cluster", "nodes.yaml"});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out, "PersistentVolumeClaim 'm'"));
  CHECK(has(ran.err, "0 fit, 0 nowhere, 1 unknown"));
}

TEST_CASE("simulate writes JSON of schema version 1") {
  const Repository folder({{"nodes.yaml", kNodes}, {"pod.yaml", kServer}});
  const Json json = simulate_json({"pod.yaml", "--cluster", "nodes.yaml"});
  CHECK(json["schemaVersion"] == 1);
  const Json& workload = json["workloads"][0];
  CHECK(workload["file"] == "pod.yaml");
  CHECK(workload["line"] == 1);
  CHECK(workload["object"]["name"] == "server");
  CHECK(workload["object"]["namespace"] == "ml");
  CHECK(workload["component"] == "");
  CHECK(workload["replicas"] == 1);
  CHECK(workload["feasible"] == 0);
  CHECK(workload["total"] == 2);
  CHECK(workload["nodes"][1]["name"] == "cpu-1");
  CHECK(workload["nodes"][1]["verdict"] == "infeasible");
  CHECK(workload["nodes"][1]["reasons"] ==
        Json({"node(s) didn't match Pod's node affinity/selector"}));
  CHECK(workload["nodes"][1]["allReasons"] ==
        Json({"node(s) didn't match Pod's node affinity/selector", "Insufficient nvidia.com/gpu"}));
  CHECK(workload["nodes"][1]["score"] == nullptr);
  CHECK(workload["nodeGroups"].size() == 2);
  CHECK(workload["nearest"] == "gpu-1");
  CHECK(workload["changes"][0]["edits"][0]["line"] == 5);
  CHECK(workload["changes"][0]["node"] == "gpu-1");
}

TEST_CASE("nodes with equal verdict and reasons are one row, and each is one with --each-node") {
  std::string nodes = kNodes;
  for (int i = 2; i <= 100; ++i) {
    std::string node = kNodes.substr(kNodes.rfind("- apiVersion"));
    nodes += node.replace(node.find("cpu-1"), 5, fmt::format("cpu-{}", i));
  }
  const Repository folder({{"nodes.yaml", nodes}, {"pod.yaml", kServer}});
  const std::vector<std::string> words{"pod.yaml", "--cluster", "nodes.yaml"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return more;
  };
  const std::string all = "cpu-1, cpu-2, cpu-3,";
  const std::string pretty = simulate(words).out;
  CHECK(count(pretty, "  infeasible  ") == 2);
  CHECK(has(pretty, "  infeasible  " + all));
  const std::string each = simulate(with({"--each-node"})).out;
  CHECK(count(each, "  infeasible  ") == 101);
  CHECK(has(each,
            "  infeasible  cpu-100\n              - label 'pool' is 'general', not 'inferance'"
            "\n              - requests 1 nvidia.com/gpu, the node has none\n"));
  CHECK(count(simulate(with({"--explain", "server"})).out, "  infeasible  " + all) == 2);
  CHECK(has(simulate(with({"--explain", "server", "--each-node"})).out,
            "  infeasible  cpu-100\n              - kube-scheduler reports: "));

  const Json workload = simulate_json(words)["workloads"][0];
  CHECK_FALSE(workload.contains("nodes"));
  REQUIRE(workload["nodeGroups"].size() == 2);
  const Json& group = workload["nodeGroups"][1];
  CHECK(group["verdict"] == "infeasible");
  CHECK(group["reasons"] == Json({"node(s) didn't match Pod's node affinity/selector"}));
  CHECK(group["allReasons"].size() == 2);
  CHECK(group["score"] == nullptr);
  CHECK(group["nodes"].size() == 100);
  CHECK(group["nodes"][99] == "cpu-100");
  const Json listed = simulate_json(with({"--each-node"}))["workloads"][0];
  CHECK(listed["nodes"].size() == 101);
  CHECK(listed["nodes"][100]["name"] == "cpu-100");

  CHECK(count(simulate(with({"--format", "html"})).out, "scope=\"col\"") == 3);
  CHECK(count(simulate(with({"--format", "html", "--each-node"})).out, "scope=\"col\"") == 102);
}

TEST_CASE("verdicts that depend on --extended-resource-toleration are unknown without it") {
  std::string pod = kServer;
  pod.replace(pod.find("inferance"), 9, "inference");
  pod.erase(pod.find("  tolerations"), pod.find("  containers") - pod.find("  tolerations"));
  const Repository folder({{"nodes.yaml", kNodes}, {"pod.yaml", pod}});
  const auto verdict = [](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"pod.yaml", "--cluster", "nodes.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return simulate_json(arguments)["workloads"][0]["nodes"][0]["verdict"];
  };
  CHECK(verdict({}) == "unknown");
  CHECK(verdict({"--extended-resource-toleration", "on"}) == "ok");
  CHECK(verdict({"--extended-resource-toleration", "off"}) == "infeasible");
}

TEST_CASE("--replicas places all workloads together and reports replicas that do not fit") {
  const Repository folder({{"nodes.yaml", kNodes},
                           {"a.yaml", deployment("first", 2, "1500m")},
                           {"b.yaml", deployment("second", 2, "1")}});
  const Ran ran = simulate({"a.yaml", "b.yaml", "--cluster", "nodes.yaml", "--replicas"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "replicas    2 of 2 placed: cpu-1 x2"));
  CHECK(has(ran.out, "replicas    1 of 2 placed: cpu-1; the next one fits nowhere: "));
  const Json json = simulate_json({"a.yaml", "b.yaml", "--cluster", "nodes.yaml", "--replicas"});
  CHECK(json["workloads"][1]["placement"]["placed"] == 1);
  CHECK(json["workloads"][1]["placement"]["wanted"] == 2);
}

TEST_CASE("--replicas adds nodes of an autoscaled pool on demand") {
  const Repository folder(
      {{"a.yaml", deployment("web", 3, "3")},
       {".cnsched.yaml",
        "cluster:\n  nodePools:\n  - name: general\n    labels: {pool: general}\n"
        "    allocatable: {cpu: 4, memory: 16Gi}\n"}});
  const Ran ran = simulate({"a.yaml", "--replicas"});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out, "3 of 3 placed: general x3"));
}

constexpr std::string_view kKarpenterPools = R"(apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: l4}
spec:
  weight: 9
  limits: {nvidia.com/gpu: 2}
  template:
    spec:
      requirements:
      - {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [l4]}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: t4}
spec:
  template:
    spec:
      requirements:
      - {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [t4]}
)";

std::string gpu_deployment(int replicas, const std::string& selector) {
  return fmt::format(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: llm, namespace: ml}}\n"
      "spec: {{replicas: {}, selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: "
      "{{a: b}}}},\n  spec: {{nodeSelector: {{{}}}, containers: [{{name: a, image: a, resources: "
      "{{limits: {{nvidia.com/gpu: 1}}}}}}]}}}}}}\n",
      replicas, selector);
}

TEST_CASE("says which pool of an autoscaler gets a node, and why the others do not") {
  const Repository folder(
      {{"pools.yaml", std::string(kKarpenterPools)},
       {"a.yaml", gpu_deployment(1, "karpenter.k8s.aws/instance-gpu-name: t4")}});
  const Ran ran = simulate({"a.yaml", "--cluster", "pools.yaml"});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out, "  autoscaler  NodePool 't4': gets a node of type g4dn.xlarge\n"));
  const Ran explained = simulate({"a.yaml", "--cluster", "pools.yaml", "--explain", "llm"});
  CHECK(has(explained.out,
            "New nodes\n"
            "  infeasible  NodePool 'l4': requirement karpenter.k8s.aws/instance-gpu-name In\n"
            "              [l4] conflicts with nodeSelector 't4'\n"
            "  ok          NodePool 't4': gets a node of type g4dn.xlarge\n"));
  const Json json = simulate_json({"a.yaml", "--cluster", "pools.yaml"});
  const Json& autoscaler = json["workloads"][0]["autoscaler"];
  CHECK(autoscaler["newNode"]["name"] == "t4");
  CHECK(autoscaler["newNode"]["kind"] == "NodePool");
  CHECK(autoscaler["newNode"]["instanceType"] == "g4dn.xlarge");
  CHECK(autoscaler["pools"][0]["verdict"] == "infeasible");
  CHECK(autoscaler["pools"][0]["instanceType"].is_null());
}

TEST_CASE("simulate exits with 1 if no pool gets a node, or a mistake prevents the pod") {
  const std::string stopped =
      service("RawDeployment, serving.kserve.io/stop: 'true'", "containers: [{name: c, image: i}]");
  const Repository folder(
      {{"pools.yaml", std::string(kKarpenterPools)},
       {"nodes.yaml", kNodes},
       {"stuck.yaml", gpu_deployment(1, "nvidia.com/gpu.product: NVIDIA-L4")},
       {"two.yaml", service("RawDeployment",
                            "containers: [{name: c, image: i}, {name: d, image: "
                            "i}]")},
       {"stopped.yaml", stopped}});
  const Ran stuck = simulate({"stuck.yaml", "--cluster", "pools.yaml"});
  CHECK(stuck.exit == 1);
  CHECK(has(stuck.err, "simulated 1 workload: 0 fit, 1 nowhere; checked"));
  CHECK(simulate({"two.yaml", "--cluster", "nodes.yaml"}).exit == 1);
  CHECK(simulate({"stopped.yaml", "--cluster", "nodes.yaml"}).exit == 0);
  CHECK(simulate_json({"stuck.yaml", "--cluster", "pools.yaml"})["assumptions"].empty());
  CHECK(simulate_json({"stopped.yaml", "--cluster", "nodes.yaml"})["assumptions"].size() == 1);
}

TEST_CASE("--replicas adds nodes up to the limits and shows nodes by type") {
  const Repository folder({{"pools.yaml", std::string(kKarpenterPools)},
                           {"a.yaml", gpu_deployment(3, "")},
                           {"b.yaml", gpu_deployment(3, "karpenter.sh/nodepool: l4")}});
  const Ran ran = simulate({"a.yaml", "--cluster", "pools.yaml", "--replicas"});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out, "  replicas    3 of 3 placed: "));
  CHECK(has(ran.out, "l4 (g6.xlarge) x2"));
  CHECK(has(ran.out,
            "Nodes by type, before and after\n"
            "              - g4dn.xlarge: 0 -> 1 (NodePool 't4')\n"
            "              - g6.xlarge: 0 -> 2 (NodePool 'l4')\n"));
  const Ran full = simulate({"b.yaml", "--cluster", "pools.yaml", "--replicas"});
  CHECK(full.exit == 1);
  CHECK(has(full.out, "2 of 3 placed: l4 (g6.xlarge) x2"));
  const Json json = simulate_json({"a.yaml", "--cluster", "pools.yaml", "--replicas"});
  const Json& types = json["nodeTypes"][0]["types"];
  CHECK(types[1]["type"] == "g6.xlarge");
  CHECK(types[1]["before"] == 0);
  CHECK(types[1]["after"] == 2);
  CHECK(types[1]["pools"][0] == "NodePool 'l4'");
}

TEST_CASE("maxNodes limits a pool of the configuration") {
  const Repository folder(
      {{"a.yaml", deployment("web", 3, "3")},
       {".cnsched.yaml",
        "cluster:\n  nodePools:\n  - name: general\n    labels: {pool: general}\n"
        "    allocatable: {cpu: 4, memory: 16Gi}\n    maxNodes: 2\n"}});
  const Ran ran = simulate({"a.yaml", "--replicas"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "2 of 3 placed: general x2"));
  CHECK(has(ran.out, "'general': it has 2 of at most 2 nodes\n"));
}

TEST_CASE("--explain shows the source of each requirement, and each node") {
  const Repository folder({{"nodes.yaml", kNodes}, {"pod.yaml", kServer}});
  const Ran ran = simulate({"pod.yaml", "--cluster", "nodes.yaml", "--explain", "server"});
  CHECK(has(ran.out, "requests    1 nvidia.com/gpu (pod.yaml:10)"));
  CHECK(has(ran.out, "selects     pool=inferance (pod.yaml:5)"));
  CHECK(has(ran.out, "added by admission"));
  CHECK(has(ran.out, "kube-scheduler reports: node(s) didn't match"));
  const Ran none = simulate({"pod.yaml", "--cluster", "nodes.yaml", "--explain", "servr"});
  CHECK(none.exit == 2);
  CHECK(none.err == "error: no workload is named 'servr', did you mean 'server'?\n");
  CHECK(simulate({"pod.yaml", "--cluster", "nodes.yaml", "--explain", "Pod/server"}).exit == 1);
}

TEST_CASE("--node lists the workloads that may run on a node, and whether they select it") {
  const Repository folder(
      {{"nodes.yaml", kNodes}, {"pod.yaml", kServer}, {"web.yaml", deployment("web", 1, "1")}});
  const Ran ran = simulate({"pod.yaml", "web.yaml", "--cluster", "nodes.yaml", "--node", "cpu-1"});
  CHECK(ran.exit == 0);
  CHECK(ran.out ==
        "cpu-1: 1 of 2 workloads may run on it\n"
        "  ok          Deployment 'web' (web.yaml:1)\n"
        "              - no constraint selects this node; while one of its pods runs\n"
        "                here, the autoscaler does not remove the node\n"
        "\n"
        "assumed: nodes are empty, as no running pods are given (see 'cnsched snapshot')\n"
        "\n");
  const Ran none = simulate({"pod.yaml", "--cluster", "nodes.yaml", "--node", "cpu-2"});
  CHECK(none.exit == 2);
  CHECK(has(none.err, "no node is named 'cpu-2'"));
}

TEST_CASE("--node lists the Pods that run on the node") {
  const std::string running =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: agent, namespace: kube-system}\n"
      "spec: {nodeName: cpu-1, containers: [{name: a, image: a, resources: {requests: {cpu: "
      "4}}}]}\n"
      "status: {phase: Running}\n";
  const Repository folder(
      {{"nodes.yaml", kNodes + running}, {"web.yaml", deployment("web", 1, "1")}});
  const Ran ran = simulate({"web.yaml", "--cluster", "nodes.yaml", "--node", "cpu-1"});
  CHECK(ran.out == "cpu-1: 0 of 1 workload may run on it\n  runs now    Pod kube-system/agent\n\n");
}

TEST_CASE("simulate without nodes explains how to provide them") {
  const Repository folder({{"pod.yaml", kServer}});
  const Ran ran = simulate({"pod.yaml"});
  CHECK(ran.exit == 2);
  CHECK(has(ran.err, "'cnsched snapshot --write cluster.yaml' reads them"));
}

TEST_CASE("simulate says that nodes count as empty if no running pods are given") {
  constexpr const char* kAssumed = "nodes are empty, as no running pods are given";
  const std::string running =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: agent, namespace: a}\n"
      "spec: {nodeName: cpu-1, containers: [{name: agent}]}\n";
  const std::string pool = "cluster: {nodePools: [{name: p, allocatable: {cpu: 8}}]}\n";
  const Repository folder({{"nodes.yaml", kNodes},
                           {"all.yaml", kNodes + running},
                           {"pools/.cnsched.yaml", pool},
                           {"pools/web.yaml", deployment("web", 1, "1")},
                           {"web.yaml", deployment("web", 1, "1") + "---\n" + kServer}});
  const std::vector<std::string> empty = {"web.yaml", "--cluster", "nodes.yaml"};
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {"--explain", "web"},
                                               {"--node", "cpu-1"},
                                               {"--format", "html"}}) {
    std::vector<std::string> words = empty;
    words.insert(words.end(), more.begin(), more.end());
    const std::string out = simulate(words).out;
    CHECK(has(out, kAssumed));
    CHECK(out.find(kAssumed) == out.rfind(kAssumed));
  }
  const auto assumptions = [](const std::vector<std::string>& words) {
    return nlohmann::json::parse(simulate(words).out)["assumptions"].size();
  };
  CHECK(assumptions({"web.yaml", "--cluster", "nodes.yaml", "--format", "json"}) == 1);
  CHECK(assumptions({"web.yaml", "--cluster", "all.yaml", "--format", "json"}) == 0);
  CHECK(assumptions({"pools/web.yaml", "--format", "json"}) == 0);
}

TEST_CASE("shows Models on the Servers that can load them") {
  const Repository folder(
      {{"nodes.yaml", kNodes},
       {"seldon.yaml",
        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nmetadata: {name: sk, namespace: ml}\n"
        "spec: {serverConfig: mlserver, capabilities: [sklearn]}\n---\n"
        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Model\nmetadata: {name: iris, namespace: ml}\n"
        "spec: {storageUri: gs://a/b, requirements: [sklearn]}\n---\n"
        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Model\nmetadata: {name: pinned, namespace: "
        "ml}\n"
        "spec: {storageUri: gs://a/b, requirements: [sklearn], server: other}\n"}});
  const Ran ran = simulate({"seldon.yaml", "--cluster", "nodes.yaml"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "Model 'iris' (seldon.yaml:6)\n1/1 Servers can load it\n  ok          sk\n"));
  CHECK(has(ran.out, "- the Model is pinned to Server 'other'"));
}

TEST_CASE("reports YAML errors and simulates the other documents") {
  const Repository folder(
      {{"nodes.yaml", kNodes},
       {"web.yaml", deployment("web", 1, "1") + "---\nkind: Pod\napiVersion: v1\n a: [\n"}});
  const Ran ran = simulate({"web.yaml", "--cluster", "nodes.yaml"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "Deployment 'web'"));
  CHECK(has(ran.err, "web.yaml:"));
}

TEST_CASE("--node takes the start of a name that no other node has") {
  const auto node = [](const std::string& name) {
    return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
           "}\nstatus: {allocatable: {cpu: 8, memory: 32Gi, pods: 110}}\n---\n";
  };
  const Repository files({{"nodes.yaml", node("ip-10-0-1-7.eu-west-1.compute.internal") +
                                             node("ip-10-0-1-70.eu-west-1.compute.internal") +
                                             node("ip-10-0-2-9.eu-west-1.compute.internal")},
                          {"in.yaml", service("RawDeployment", kContainer)}});
  const auto simulated = [](const std::string& name) {
    return simulate({"in.yaml", "--cluster", "nodes.yaml", "--node", name});
  };
  const Ran full = simulated("ip-10-0-1-7.eu-west-1.compute.internal");
  CHECK(full.exit == 0);
  CHECK(simulated("ip-10-0-1-7").out == full.out);
  CHECK(has(simulated("ip-10-0-2").out, "ip-10-0-2-9.eu-west-1"));
  const Ran several = simulated("ip-10-0-1");
  CHECK(several.exit == 2);
  CHECK(several.err ==
        "error: 'ip-10-0-1' begins the names of 2 nodes: 'ip-10-0-1-7.eu-west-1.compute.internal' "
        "and 'ip-10-0-1-70.eu-west-1.compute.internal'\n");
  CHECK(simulated("gpu").err == "error: no node is named 'gpu'\n");
}

}  // namespace cnsched::cli::simulate_test
