#include "cli/commands/simulate.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "testdata/support.h"

namespace cnsched::cli {

namespace {

using Json = nlohmann::json;
using test::Ran;

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

/// Simulates files of a directory of its own, which is the working directory meanwhile.
class Simulating {
 public:
  explicit Simulating(const std::vector<std::pair<std::string, std::string>>& files)
      : here_(folder_.root()) {
    folder_.write(".git/HEAD");  // no configuration above it counts
    for (const auto& [name, text] : files) folder_.write(name, text);
  }

  static Ran run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "simulate");
    return test::run_program(arguments);
  }
  static Json json(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--format", "json"});
    return Json::parse(run(std::move(arguments)).out);
  }

 private:
  test::TemporaryDirectory folder_;
  test::WorkingDirectory here_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("simulate tells the event, all nodes, and an edit that helps") {
  const Simulating folder({{"nodes.yaml", kNodes}, {"pod.yaml", kServer}});
  const Ran ran = Simulating::run({"pod.yaml", "--cluster", "nodes.yaml"});
  CHECK(ran.exit == 1);
  CHECK(ran.out ==
        "Pod 'server' (pod.yaml:1)\n"
        "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.\n"
        "  infeasible  gpu-1\n"
        "              - label 'pool' is 'inference', not 'inferance'\n"
        "  infeasible  cpu-1\n"
        "              - label 'pool' is 'general', not 'inferance'\n"
        "              - asks for 1 nvidia.com/gpu, the node has none\n"
        "  nearest     gpu-1\n"
        "              - label 'pool' is 'inference', not 'inferance'\n"
        "  change      set 'pool' in nodeSelector to 'inference' (pod.yaml:5): then it\n"
        "              fits gpu-1\n"
        "  change      remove 'pool' from nodeSelector (pod.yaml:5): then it fits gpu-1\n"
        "\n");
  CHECK(has(ran.err, "simulated 1 workload: 0 fit, 1 nowhere; checked 1 object"));
}

TEST_CASE("simulate exits with 0 when every pod has a place, or may have one") {
  const Simulating folder({{"nodes.yaml", kNodes},
                           {"fits.yaml", deployment("web", 1, "4")},
                           {"volume.yaml",
                            "apiVersion: v1\nkind: Pod\nmetadata: {name: v}\nspec:\n"
                            "  volumes: [{name: m, persistentVolumeClaim: {claimName: m}}]\n"
                            "  containers: [{name: c, image: c}]\n"}});
  CHECK(Simulating::run({"fits.yaml", "--cluster", "nodes.yaml"}).exit == 0);
  const Ran ran = Simulating::run({"volume.yaml", "--cluster", "nodes.yaml"});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out, "whether the node can mount volume 'm'"));
  CHECK(has(ran.err, "0 fit, 0 nowhere, 1 not known"));
}

TEST_CASE("simulate's JSON holds what the schema promises") {
  const Simulating folder({{"nodes.yaml", kNodes}, {"pod.yaml", kServer}});
  const Json json = Simulating::json({"pod.yaml", "--cluster", "nodes.yaml"});
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
  CHECK(workload["nearest"] == "gpu-1");
  CHECK(workload["changes"][0]["edits"][0]["line"] == 5);
  CHECK(workload["changes"][0]["node"] == "gpu-1");
}

TEST_CASE("what --extended-resource-toleration decides is not known without it") {
  std::string pod = kServer;
  pod.replace(pod.find("inferance"), 9, "inference");
  pod.erase(pod.find("  tolerations"), pod.find("  containers") - pod.find("  tolerations"));
  const Simulating folder({{"nodes.yaml", kNodes}, {"pod.yaml", pod}});
  const auto verdict = [](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"pod.yaml", "--cluster", "nodes.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Simulating::json(arguments)["workloads"][0]["nodes"][0]["verdict"];
  };
  CHECK(verdict({}) == "unknown");
  CHECK(verdict({"--extended-resource-toleration", "on"}) == "ok");
  CHECK(verdict({"--extended-resource-toleration", "off"}) == "infeasible");
}

TEST_CASE("--replicas places everything together and says when the room runs out") {
  const Simulating folder({{"nodes.yaml", kNodes},
                           {"a.yaml", deployment("first", 2, "1500m")},
                           {"b.yaml", deployment("second", 2, "1")}});
  const Ran ran = Simulating::run({"a.yaml", "b.yaml", "--cluster", "nodes.yaml", "--replicas"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "replicas    2 of 2 placed: cpu-1 x2"));
  CHECK(has(ran.out, "replicas    1 of 2 placed: cpu-1; then the room"));
  const Json json = Simulating::json({"a.yaml", "b.yaml", "--cluster", "nodes.yaml", "--replicas"});
  CHECK(json["workloads"][1]["placement"]["placed"] == 1);
  CHECK(json["workloads"][1]["placement"]["wanted"] == 2);
}

TEST_CASE("--replicas opens as many nodes of an autoscaled pool as are needed") {
  const Simulating folder(
      {{"a.yaml", deployment("web", 3, "3")},
       {".cnsched.yaml",
        "cluster:\n  nodePools:\n  - name: general\n    labels: {pool: general}\n"
        "    allocatable: {cpu: 4, memory: 16Gi}\n"}});
  const Ran ran = Simulating::run({"a.yaml", "--replicas"});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out, "3 of 3 placed: general x3"));
}

TEST_CASE("--explain tells where each demand is written, and each node by itself") {
  const Simulating folder({{"nodes.yaml", kNodes}, {"pod.yaml", kServer}});
  const Ran ran = Simulating::run({"pod.yaml", "--cluster", "nodes.yaml", "--explain", "server"});
  CHECK(has(ran.out, "asks for    1 nvidia.com/gpu (pod.yaml:10)"));
  CHECK(has(ran.out, "selects     pool=inferance (pod.yaml:5)"));
  CHECK(has(ran.out, "added on admission"));
  CHECK(has(ran.out, "kube-scheduler says: node(s) didn't match"));
  const Ran none = Simulating::run({"pod.yaml", "--cluster", "nodes.yaml", "--explain", "servr"});
  CHECK(none.exit == 2);
  CHECK(none.err == "error: no workload is called 'servr', did you mean 'server'?\n");
  CHECK(Simulating::run({"pod.yaml", "--cluster", "nodes.yaml", "--explain", "Pod/server"}).exit ==
        1);
}

TEST_CASE("--node lists who may land on a node, and what leads them there") {
  const Simulating folder(
      {{"nodes.yaml", kNodes}, {"pod.yaml", kServer}, {"web.yaml", deployment("web", 1, "1")}});
  const Ran ran =
      Simulating::run({"pod.yaml", "web.yaml", "--cluster", "nodes.yaml", "--node", "cpu-1"});
  CHECK(ran.exit == 0);
  CHECK(ran.out ==
        "cpu-1: 1 of 2 workloads may land on it\n"
        "  ok          Deployment 'web' (web.yaml:1)\n"
        "              - nothing leads it here: while one of its pods runs here, the\n"
        "                autoscaler keeps the node\n"
        "\n");
  const Ran none = Simulating::run({"pod.yaml", "--cluster", "nodes.yaml", "--node", "cpu-2"});
  CHECK(none.exit == 2);
  CHECK(has(none.err, "no node is called 'cpu-2'"));
}

TEST_CASE("--node tells which Pods of the cluster run there") {
  const std::string running =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: agent, namespace: kube-system}\n"
      "spec: {nodeName: cpu-1, containers: [{name: a, image: a, resources: {requests: {cpu: "
      "4}}}]}\n"
      "status: {phase: Running}\n";
  const Simulating folder(
      {{"nodes.yaml", kNodes + running}, {"web.yaml", deployment("web", 1, "1")}});
  const Ran ran = Simulating::run({"web.yaml", "--cluster", "nodes.yaml", "--node", "cpu-1"});
  CHECK(ran.out ==
        "cpu-1: 0 of 1 workload may land on it\n  runs now    Pod kube-system/agent\n\n");
}

TEST_CASE("without any node simulate says how to get some") {
  const Simulating folder({{"pod.yaml", kServer}});
  const Ran ran = Simulating::run({"pod.yaml"});
  CHECK(ran.exit == 2);
  CHECK(has(ran.err, "kubectl get nodes -o yaml"));
}

TEST_CASE("Models are shown on the Servers that could load them") {
  const Simulating folder(
      {{"nodes.yaml", kNodes},
       {"seldon.yaml",
        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nmetadata: {name: sk, namespace: ml}\n"
        "spec: {serverConfig: mlserver, capabilities: [sklearn]}\n---\n"
        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Model\nmetadata: {name: iris, namespace: ml}\n"
        "spec: {storageUri: gs://a/b, requirements: [sklearn]}\n---\n"
        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Model\nmetadata: {name: pinned, namespace: "
        "ml}\n"
        "spec: {storageUri: gs://a/b, requirements: [sklearn], server: other}\n"}});
  const Ran ran = Simulating::run({"seldon.yaml", "--cluster", "nodes.yaml"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "Model 'iris' (seldon.yaml:6)\n1/1 Servers can load it\n  ok          sk\n"));
  CHECK(has(ran.out, "- the Model is pinned to Server 'other'"));
}

TEST_CASE("what is no YAML is told, and the rest simulated") {
  const Simulating folder(
      {{"nodes.yaml", kNodes},
       {"web.yaml", deployment("web", 1, "1") + "---\nkind: Pod\napiVersion: v1\n a: [\n"}});
  const Ran ran = Simulating::run({"web.yaml", "--cluster", "nodes.yaml"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "Deployment 'web'"));
  CHECK(has(ran.err, "web.yaml:"));
}

}  // namespace cnsched::cli
