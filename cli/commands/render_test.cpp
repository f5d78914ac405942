#include <nlohmann/json.hpp>

#include "testdata/support.h"

namespace cnsched::cli::render_test {

using Json = nlohmann::ordered_json;
const std::string kPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
    "spec:\n  nodeName: gpu-1\n  containers: [{name: c, image: i}]\n";

Ran render(const std::vector<std::string>& arguments) { return run_program({"render"}, arguments); }

/// An InferenceService that names a runtime.
std::string service(const std::string& runtime) {
  return "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
         "metadata: {name: llama, namespace: chat}\n"
         "spec:\n  predictor:\n    minReplicas: 2\n    nodeSelector: {pool: gpu}\n"
         "    model: {modelFormat: {name: vllm}, runtime: " +
         runtime + "}\n";
}

TEST_CASE("render prints a pod with its object and ends with the statistics") {
  const Repository folder({{"pod.yaml", kPod}});
  const Ran ran = render({});
  CHECK(ran.exit == 0);
  CHECK(ran.out ==
        "---\n# Pod 'p' (pod.yaml:1)\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n"
        "spec:\n  nodeName: gpu-1\n  containers:\n  - name: c\n    image: i\n");
  CHECK(ran.err ==
        "rendered 1 pod; checked 1 object in 1 document of 1 file (0 out of scope, 0 Helm "
        "templates skipped, 0 unreadable)\n");
  CHECK(render({"--quiet"}).err.empty());
}

TEST_CASE("render -v lists the facts that would settle what is unknown, the most useful first") {
  const auto isvc = [](const std::string& name, const std::string& annotations) {
    return "---\napiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: " +
           name + ", annotations: {" + annotations +
           "}}\nspec: {predictor: {model: {modelFormat: {name: onnx}}}}\n";
  };
  const Repository files(
      {{"in.yaml", isvc("a", "serving.kserve.io/deploymentMode: Standard") + isvc("b", "")}});
  const std::string text = render({"-v"}).err;
  const std::size_t runtimes = text.find(
      "2 pods depend on the runtime that KServe chooses: pass the cluster's ServingRuntimes and "
      "ClusterServingRuntimes with --cluster\n");
  const std::size_t mode =
      text.find("1 pod depends on the deployment mode: set cluster.defaultDeploymentMode");
  CHECK(runtimes != std::string::npos);
  CHECK(mode != std::string::npos);
  CHECK(runtimes < mode);
}

TEST_CASE("render --admitted adds what the RuntimeClass, admission plugins and Knative add") {
  const Repository files(
      {{"in.yaml",
        "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
        "metadata: {name: a, annotations: {serving.kserve.io/deploymentMode: "
        "Serverless}}\nspec: {predictor: {runtimeClassName: kata, containers: "
        "[{name: kserve-container, image: i, resources: {limits: "
        "{nvidia.com/gpu: 1}}}]}}\n"},
       {"cluster.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features, "
        "namespace: knative-serving}\ndata: "
        "{kubernetes.podspec-runtimeclassname: enabled}\n---\n"
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: kata}\n"
        "handler: kata\nscheduling: {nodeSelector: {kata: yes-it-is}}\n"
        "overhead: {podFixed: {cpu: 250m}}\n"}});
  const auto rendered = [](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"in.yaml", "--cluster", "cluster.yaml"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return render(arguments).out;
  };
  const std::string admitted = rendered({"--admitted"});
  for (const char* text :
       {"kata: yes-it-is\n", "overhead:\n    cpu: 250m\n", "- name: queue-proxy\n", "weight: 100\n",
        "key: node.kubernetes.io/not-ready\n", "tolerationSeconds: 300\n",
        "# unknown: whether the admission plugin ExtendedResourceToleration adds\n"}) {
    CAPTURE(text);
    CHECK(has(admitted, text));
    CHECK_FALSE(has(rendered({}), text));
  }
}

TEST_CASE("render --admitted sets what LimitRanges and classes set, or says what is rejected") {
  const auto of_class = [](const std::string& name, const std::string& field) {
    return fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}, namespace: other}}\nspec: {{{}: "
        "{}, containers: [{{name: c, image: i}}]}}\n",
        name, field, name);
  };
  const Repository files(
      {{"in.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: ml}\n"
        "spec: {containers: [{name: c, image: i}]}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: other}\n"
        "spec: {containers: [{name: c, image: i}]}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: large, namespace: ml}\n"
        "spec: {containers: [{name: c, image: i, resources: {limits: {memory: 9Gi}}}]}\n" +
            of_class("low", "priorityClassName") + of_class("high", "priorityClassName") +
            of_class("gvisor", "runtimeClassName")},
       {"cluster.yaml",
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\n"
        "value: 7\npreemptionPolicy: Never\n---\n"
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: kata}\n"
        "handler: kata\n---\n"
        "apiVersion: v1\nkind: LimitRange\nmetadata: {name: limits, namespace: ml}\n"
        "spec: {limits: [{type: Container, default: {memory: 3Gi}, max: {memory: 4Gi}}]}\n"}});
  const std::string admitted = render({"in.yaml", "--cluster", "cluster.yaml", "--admitted"}).out;
  CHECK(count(admitted, "memory: 3Gi") == 2);  // request and limit of one pod
  for (const char* text : {"no pod is created: LimitRange 'limits' rejects it:\n#   maximum memory",
                           "priority: 7\n  preemptionPolicy: Never\n",
                           "rejects it: no\n#   PriorityClass with name high was found\n",
                           "rejects it: pod\n#   rejected: RuntimeClass \"gvisor\" not found\n"}) {
    CAPTURE(text);
    CHECK(has(admitted, text));
  }
}

TEST_CASE("render --with-origin prints the line of each scheduling value") {
  const Repository folder({{"pod.yaml", kPod}});
  const Ran ran = render({"--with-origin"});
  CHECK(has(ran.out, "\n  nodeName: gpu-1  # pod.yaml:5\n"));
  CHECK(has(ran.out, "\n  - name: c  # pod.yaml:6\n    image: i\n"));
  CHECK(count(ran.out, "  # ") == 2);
}

TEST_CASE("render --format json prints each pod's object and each value's position") {
  const Repository folder({{"pod.yaml", kPod}, {"isvc.yaml", service("absent")}});
  const Ran ran = render({"--format", "json"});
  CHECK(ran.exit == 0);
  const Json output = Json::parse(ran.out);
  CHECK(output.at("schemaVersion") == 1);
  REQUIRE(output.at("pods").size() == 2);
  const Json& llama = output.at("pods").at(0);
  CHECK(llama.at("object").dump() ==
        R"({"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService",)"
        R"("namespace":"chat","name":"llama"})");
  CHECK(llama.at("component") == "predictor");
  CHECK(llama.at("replicas") == 2);
  CHECK(llama.at("unknown") ==
        Json({"ServingRuntime 'absent'", "the deployment mode",
              "whether Knative accepts 'nodeSelector' (flag 'kubernetes.podspec-nodeselector')"}));
  CHECK(llama.at("pod").at("spec").at("nodeSelector").at("pool") == "gpu");
  CHECK(llama.at("origins").at("/spec/nodeSelector/pool") == "isvc.yaml:7:26");
  CHECK_FALSE(llama.at("pod").at("spec").at("containers").at(0).contains("image"));

  const Json& pod = output.at("pods").at(1);
  std::vector<std::string> keys;
  for (const auto& item : pod.items()) keys.push_back(item.key());
  CHECK(keys ==
        std::vector<std::string>{"object", "component", "replicas", "unknown", "pod", "origins"});
  CHECK(pod.at("unknown") == Json::array());
  CHECK(pod.at("origins").dump() ==
        R"({"/metadata/name":"pod.yaml:3:18","/spec/nodeName":"pod.yaml:5:13",)"
        R"("/spec/containers/0/name":"pod.yaml:6:23","/spec/containers/0/image":"pod.yaml:6:33"})");
}

TEST_CASE("render prints what is unknown, also of images") {
  const Repository folder({{"isvc.yaml", service("absent")}});
  const Ran ran = render({});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out,
            "# InferenceService 'llama', predictor (isvc.yaml:1)\n"
            "# replicas: 2\n"
            "# unknown: ServingRuntime 'absent', which is not in this run\n"
            "# unknown: the deployment mode\n"));
  CHECK(has(ran.out, "    image: unknown  # set by ServingRuntime 'absent'\n"));
}

TEST_CASE("render prints what Knative rejects and which flags are unknown") {
  const std::string serverless =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
      "metadata: {name: a, annotations: {serving.kserve.io/deploymentMode: Serverless}}\n"
      "spec: {predictor: {nodeSelector: {a: b}, containers: [{name: c, image: i}]}}\n";
  const std::string flags =
      "apiVersion: v1\nkind: ConfigMap\n"
      "metadata: {name: config-features, namespace: knative-serving}\n"
      "data: {kubernetes.podspec-nodeselector: disabled}\n";
  const Repository unknown({{"isvc.yaml", serverless}});
  CHECK(has(render({}).out,
            "# unknown: whether Knative accepts 'nodeSelector' (flag\n"
            "#   'kubernetes.podspec-nodeselector')\n"));
  const Repository rejected({{"isvc.yaml", serverless + "---\n" + flags}});
  const Ran ran = render({});
  CHECK(has(ran.out, "no pod is created:"));
  CHECK_FALSE(has(ran.out, "kind: Pod"));
}

TEST_CASE("render merges objects of --cluster files and does not print their pods") {
  const Repository folder(
      {{"isvc.yaml", service("vllm")},
       {"facts/cluster.yaml",
        "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\n"
        "metadata: {name: vllm, namespace: chat}\n"
        "spec:\n  supportedModelFormats: [{name: vllm}]\n  nodeSelector: {zone: a}\n"
        "  containers: [{name: kserve-container, image: vllm}]\n---\n" +
            kPod}});
  const Ran ran = render({"isvc.yaml", "--cluster", "facts/cluster.yaml", "--with-origin"});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out, "# merged over ServingRuntime 'vllm' (facts/cluster.yaml:1)\n"));
  CHECK(has(ran.out, "    zone: a  # facts/cluster.yaml:6\n"));
  CHECK(has(ran.out, "    pool: gpu  # isvc.yaml:7\n"));
  CHECK_FALSE(has(ran.out, "kind: Pod\nmetadata:\n  name: p\n"));
  CHECK(count(ran.out, "---\n") == 1);
  // A runtime is not a pod by itself.
  CHECK_FALSE(has(render({"facts", "--format=json"}).out, "ServingRuntime"));
}

TEST_CASE("render prints why no pod is created, and omits it from JSON") {
  const std::string never =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
      "metadata:\n  name: llama\n  annotations: {serving.kserve.io/deploymentMode: ModelMesh}\n"
      "spec:\n  predictor:\n    model: {modelFormat: {name: vllm}}\n";
  const Repository folder({{"isvc.yaml", never}});
  const Ran ran = render({});
  CHECK(ran.exit == 0);
  CHECK(ran.out ==
        "---\n# InferenceService 'llama', predictor (isvc.yaml:1): no pod is created:\n"
        "#   ModelMesh serves the model from pods of its own\n");
  const Json output = Json::parse(render({"--format=json"}).out);
  CHECK(output.at("pods") == Json::array());
}

TEST_CASE("render reports broken YAML and renders the other documents") {
  const Repository folder(
      {{"a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: x\n---\n" + kPod},
       {"b.yaml", kPod}});
  const Ran ran = render({});
  CHECK(ran.exit == 1);
  CHECK(count(ran.out, "kind: Pod\n") == 2);
  CHECK(ran.err.starts_with("error: a.yaml:3:11: "));
}

TEST_CASE("render exits with 3 for unreadable files and renders the others") {
  const Repository folder({{"pod.yaml", kPod}});
  const Ran ran = render({"absent.yaml", "pod.yaml"});
  CHECK(ran.exit == 3);
  CHECK(has(ran.out, "kind: Pod\n"));
  CHECK(has(ran.err, "error: absent.yaml: "));
}

TEST_CASE("render rejects unknown options and values") {
  CHECK(run_program({"render", "--format", "xml"}).exit == 2);
  CHECK(run_program({"render", "--with-origins"}).exit == 2);
  const Repository folder({{".cnsched.yaml", "nonsense: true\n"}, {"pod.yaml", kPod}});
  CHECK(render({}).exit == 2);
  CHECK(render({"--no-config"}).exit == 0);
}

TEST_CASE("render omits a pod that is nested too deeply and prints the others") {
  const std::string deep = "apiVersion: v1\nkind: Pod\nmetadata: {name: deep}\nspec: {affinity: " +
                           std::string(250, '[') + std::string(250, ']') + "}\n---\n";
  const Repository folder({{"pod.yaml", deep + kPod}});
  for (const std::string format : {"yaml", "json"}) {
    const Ran ran = render({"--format", format, "--quiet"});
    CHECK(ran.exit == 3);
    CHECK(ran.err ==
          "error: the pod of Pod 'deep' (pod.yaml:1) has more than 200 levels, so it is not "
          "shown\n");
    CHECK(count(ran.out, "deep") == 0);
    CHECK(has(ran.out, "nodeName"));
  }
}

TEST_CASE("render escapes control characters") {
  const std::string hostile =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: \"p\\e[31m\\nx\", namespace: \"\\u202en\"}\n"
      "spec: {nodeName: \"\\e]0;\\a\", \"\\e[2J\": \"\\u009b\", containers: [{name: "
      "\"\\u2066\"}]}\n";
  const Repository folder({{"a\x1b.yaml", hostile}});
  for (const std::string format : {"yaml", "json"}) {
    const Ran ran = render({"--format", format, "--with-origin", "-v"});
    CHECK(ran.exit == 0);
    for (const std::string& text : {ran.out, ran.err}) {
      CHECK(std::ranges::none_of(
          text, [](char c) { return (c >= 0 && c < 0x20 && c != '\n') || c == 0x7f; }));
      for (const std::string raw : {"\u202e", "\u009b", "\u2066"}) CHECK_FALSE(has(text, raw));
    }
  }
}

TEST_CASE("render names the pod of an object without a name after its kind") {
  const std::string nameless =
      "apiVersion: v1\nkind: Pod\nmetadata: {generateName: p-}\nspec: {a: b}\n";
  const Repository folder({{"pod.yaml", nameless}});
  CHECK(render({}).out ==
        "---\n# Pod (pod.yaml:1)\napiVersion: v1\nkind: Pod\nmetadata:\n  generateName: p-\n"
        "  name: p\nspec:\n  a: b\n");
}

TEST_CASE("render numbers pods of one name, independently of threads") {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "---\n" + kPod;
  const Repository folder({{"a.yaml", text}, {"b.yaml", text}});
  const Ran one = render({"-j", "1"});
  CHECK(one.out == render({"-j", "8"}).out);
  for (int i = 2; i <= 60; ++i) CHECK(count(one.out, fmt::format("name: p-{}\n", i)) == 1);
}

}  // namespace cnsched::cli::render_test
