#include "core/kserve/pods.h"
#include "core/kserve/fields.h"
#include "testdata/support.h"

namespace cnsched::kserve::pods_test {

/// The pods of a manifest, and the owners of the data that they reference.
struct Pods {
  explicit Pods(std::string text, std::optional<Version> release = {})
      : parsed(std::move(text)),
        templates(pod_templates(parsed.object(), {objects, release, {}, config, arena})) {}

  const k8s::PodTemplate& of(std::string_view component) const {
    for (const k8s::PodTemplate& pod : templates) {
      if (pod.component == component) return pod;
    }
    FAIL("no pod is called " << std::string(component));
    return templates.front();
  }
  std::string components() const { return joined(templates, &k8s::PodTemplate::component, "|"); }
  std::string written(std::string_view component) const {
    return yaml::pointer_to(*of(component).written, *parsed.object().root);
  }

  Parsed parsed;
  Arena arena;
  k8s::Objects objects;
  k8s::ControllerConfig config;
  std::vector<k8s::PodTemplate> templates;
};

std::string inference_service(const std::string& spec) {
  return "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nspec:\n" + spec;
}

/// The names of the containers of a pod.
std::string containers(const k8s::PodTemplate& pod) {
  return joined(pod.pod["containers"].items(),
                [](const yaml::Node* container) { return (*container)["name"].text(); });
}

/// The path of a pod's fields in an object, and the expected component.
struct Path {
  std::string kind;
  std::string pointer;  ///< '/'-separated; "0" is the first item of a list
  std::string component;
  bool fragment = false;
};

/// A manifest with `nodeSelector: {gpu: a100}` at the path, in flow style.
std::string manifest_with_selector(const Path& path) {
  std::string open;
  std::string close;
  std::string rest = path.pointer;
  while (!rest.empty()) {
    rest.erase(0, 1);
    const std::string step = rest.substr(0, rest.find('/'));
    rest.erase(0, step.size());
    const bool item = step == "0";
    open += item ? "[" : "{" + step + ": ";
    close.insert(0, item ? "]" : "}");
  }
  const std::string body = open + "{nodeSelector: {gpu: a100}}" + close;
  return fmt::format("{{apiVersion: serving.kserve.io/v1, kind: {}, {}", path.kind, body.substr(1));
}

TEST_CASE("finds the pod at every path of KServe's kinds, with its pointer and spans") {
  const std::vector<Path> paths = {
      {"InferenceService", "/spec/predictor", "predictor"},
      {"InferenceService", "/spec/transformer", "transformer"},
      {"InferenceService", "/spec/explainer", "explainer"},
      {"InferenceService", "/spec/predictor/workerSpec", "worker"},
      {"InferenceService", "/spec/canary/0/predictor", "canary[0]"},
      {"InferenceGraph", "/spec", "router"},
      {"ServingRuntime", "/spec", "", true},
      {"ServingRuntime", "/spec/workerSpec", "worker", true},
      {"ClusterServingRuntime", "/spec", "", true},
      {"ClusterServingRuntime", "/spec/workerSpec", "worker", true},
      {"LLMInferenceService", "/spec/template", "template"},
      {"LLMInferenceService", "/spec/worker", "worker"},
      {"LLMInferenceService", "/spec/prefill/template", "prefill"},
      {"LLMInferenceService", "/spec/prefill/worker", "prefill worker"},
      {"LLMInferenceService", "/spec/router/scheduler/template", "scheduler"},
      {"LLMInferenceService", "/spec/router/scheduler/tokenizer/template", "tokenizer"},
      {"LLMInferenceServiceConfig", "/spec/template", "template", true},
      {"LLMInferenceServiceConfig", "/spec/worker", "worker", true},
      {"LLMInferenceServiceConfig", "/spec/prefill/template", "prefill", true},
      {"LLMInferenceServiceConfig", "/spec/prefill/worker", "prefill worker", true},
      {"LLMInferenceServiceConfig", "/spec/router/scheduler/template", "scheduler", true},
      {"LLMInferenceServiceConfig", "/spec/router/scheduler/tokenizer/template", "tokenizer", true},
  };
  for (const Path& path : paths) {
    const std::string text = manifest_with_selector(path);
    CAPTURE(text);
    const Pods pods(text, kHeadRelease);
    const k8s::PodTemplate& pod = pods.of(path.component);
    const yaml::Node& value = pod.pod["nodeSelector"].under("gpu");
    CHECK(pods.parsed.at(value.span) == "a100");
    CHECK(yaml::pointer_to(value, *pods.parsed.object().root) ==
          path.pointer + "/nodeSelector/gpu");
    CHECK(pods.written(path.component) == path.pointer);
    CHECK(pod.fragment == path.fragment);
  }
}

TEST_CASE("creates no pod for other kinds") {
  for (const std::string kind :
       {"TrainedModel", "LocalModelCache", "LocalModelNodeGroup", "ClusterStorageContainer"}) {
    CAPTURE(kind);
    CHECK(Pods("apiVersion: serving.kserve.io/v1alpha1\nkind: " + kind +
               "\nspec: {nodeSelector: {a: b}, predictor: {}}\n")
              .templates.empty());
  }
}

TEST_CASE("creates pods for KServe's groups only") {
  const std::string rest = "kind: InferenceService\nspec: {predictor: {nodeName: a}}\n";
  CHECK(Pods("apiVersion: example.com/v1\n" + rest).templates.empty());
  CHECK(Pods("apiVersion: serving.kubeflow.org/v1beta1\n" + rest).components() == "predictor");
}

TEST_CASE("lists worker and canaries after their predictor") {
  const Pods pods(
      inference_service("  predictor: {workerSpec: {}}\n"
                        "  transformer: {}\n"
                        "  explainer: {}\n"
                        "  canary: [{predictor: {}}, {trafficPercent: 1}, {predictor: {}}]\n"));
  CHECK(pods.components() == "predictor|worker|transformer|explainer|canary[0]|canary[2]");
}

TEST_CASE("creates no pod for a component that is not a mapping") {
  CHECK(Pods(inference_service("  predictor: null\n  transformer: []\n  explainer: x\n"))
            .templates.empty());
  CHECK(Pods("apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n").templates.empty());
  CHECK(Pods("apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\n").templates.empty());
  CHECK(Pods("apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\n"
             "spec: {template: null, worker: [], router: {scheduler: x}}\n")
            .templates.empty());
}

TEST_CASE("turns model and framework blocks into the serving container") {
  for (const std::string_view key : framework_keys()) {
    CAPTURE(key);
    const Pods pods(inference_service(
        fmt::format("  predictor:\n    {}:\n      resources: {{limits: {{nvidia.com/gpu: 2}}}}\n"
                    "      storageUri: s3://a\n",
                    key)));
    const k8s::PodTemplate& pod = pods.of("predictor");
    CHECK(containers(pod) == "kserve-container");
    const yaml::Node& container = pod.pod["containers"].at(0);
    const yaml::Node& gpus = container["resources"]["limits"].under("nvidia.com/gpu");
    CHECK(pods.parsed.at(gpus.span) == "2");
    CHECK(yaml::pointer_to(gpus, *pods.parsed.object().root) ==
          fmt::format("/spec/predictor/{}/resources/limits/nvidia.com~1gpu", key));
    CHECK(container["storageUri"].is_missing());
    CHECK(pod.pod.node().under(key).is_missing());
  }
}

TEST_CASE("keeps containers after the model, with their spans") {
  const Pods pods(
      inference_service("  predictor:\n    containers: [{name: sidecar}]\n"
                        "    model: {modelFormat: {name: onnx}}\n"));
  const k8s::PodTemplate& pod = pods.of("predictor");
  CHECK(containers(pod) == "kserve-container sidecar");
  const yaml::Node& name = pod.pod["containers"].at(1)["name"];
  CHECK(yaml::pointer_to(name, *pods.parsed.object().root) == "/spec/predictor/containers/0/name");
}

TEST_CASE("keeps the containers of a predictor without a model") {
  const Pods pods(inference_service("  predictor: {containers: [{name: mine}, {name: other}]}\n"));
  CHECK(containers(pods.of("predictor")) == "mine other");
  CHECK(containers(Pods(inference_service("  predictor: {sklearn: null}\n")).of("predictor"))
            .empty());
}

TEST_CASE("turns an explainer's art block into its container") {
  const Pods pods(inference_service(
      "  explainer: {art: {type: SquareAttack, resources: {limits: {nvidia.com/gpu: 1}}}}\n"));
  CHECK(containers(pods.of("explainer")) == "kserve-container");
}

TEST_CASE("omits fields that are not pod fields") {
  const Pods pods(inference_service(
      "  predictor: {minReplicas: 1, nodeName: a, labels: {x: y}, workerSpec: {}}\n"));
  const yaml::Node& spec = pods.of("predictor").own.node();
  CHECK(spec.entries().size() == 1);
  CHECK(spec["nodeName"].text() == "a");
}

TEST_CASE("keeps only a runtime's fields") {
  const Pods pods(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\n"
      "spec: {containers: [{name: kserve-container}], nodeSelector: {a: b}, priorityClassName: x,"
      " supportedModelFormats: [], labels: {a: b}}\n");
  const yaml::Node& spec = pods.of("").own.node();
  CHECK(spec.entries().size() == 2);
  CHECK(spec["priorityClassName"].is_missing());
}

TEST_CASE("gives the router the resources of the InferenceGraph") {
  const Pods pods(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\nmetadata: {name: graph}\n"
      "spec: {nodes: {root: {}}, resources: {limits: {nvidia.com/gpu: 1}}, tolerations: []}\n");
  const k8s::PodTemplate& pod = pods.of("router");
  CHECK(containers(pod) == "graph");
  CHECK(pod.pod.node().under("nodes").is_missing());
  const yaml::Node& gpus =
      pod.pod["containers"].at(0)["resources"]["limits"].under("nvidia.com/gpu");
  CHECK(yaml::pointer_to(gpus, *pods.parsed.object().root) ==
        "/spec/resources/limits/nvidia.com~1gpu");
}

TEST_CASE("keeps the span of fields from anchors and merge keys") {
  const Pods pods(inference_service(
      "  predictor: &p\n    nodeSelector: {gpu: a100}\n    model: {resources: &r {limits: {}}}\n"
      "  transformer:\n    <<: *p\n    containers: [{name: t, resources: *r}]\n"));
  const yaml::Node& value = pods.of("transformer").pod["nodeSelector"].under("gpu");
  CHECK(pods.parsed.at(value.span) == "a100");
}

struct Case {
  std::string head;    ///< the requests of the head's container
  std::string worker;  ///< the requests of the worker's container
  int tensor = 1;
  int pipeline = 1;
  std::string expected;  ///< GPUs of the head, of each worker, and how many workers
};

/// The result in the format of Case::expected, or the error.
std::string counted(const Case& given, const std::string& backend = "ray",
                    const std::string& types = "") {
  const auto pod = [](std::string_view name, std::string_view requests) {
    return fmt::format("containers: [{{name: {}, resources: {{requests: {{{}}}}}}}]", name,
                       requests);
  };
  const Parsed head(pod("kserve-container", given.head));
  const Parsed worker(pod("worker-container", given.worker));
  const Parsed spec(fmt::format(
      "{{workerSpec: {{tensorParallelSize: {}, pipelineParallelSize: {}}}, types: '{}'}}",
      given.tensor, given.pipeline, types));
  const Parsed runtime(manifest("ServingRuntime", "name: a",
                                "{annotations: {multinode/executor-backend: " + backend + "}}"));
  const k8s::Objects objects;
  const k8s::ControllerConfig config;
  Arena arena;
  const yaml::Node& annotation = types.empty() ? yaml::missing_node() : spec.root().under("types");
  const MultiNode result =
      distribute_gpus(head.root(), worker.root(), spec.root()["workerSpec"], runtime.object(),
                      annotation, {objects, {}, {}, config, arena});
  if (!result.error.empty()) return result.error;
  const auto gpus = [](const yaml::Node& of) {
    const yaml::Node& resources = of["containers"].at(0)["resources"];
    CHECK(compact(resources["limits"]) == compact(resources["requests"]));
    return compact(resources["limits"]);
  };
  return fmt::format("{} {} {}", gpus(*result.head), gpus(*result.worker), result.worker_replicas);
}

std::string nvidia(std::string_view head, std::string_view worker, int workers) {
  return fmt::format(R"({{"nvidia.com/gpu":{}}} {{"nvidia.com/gpu":{}}} {})", head, worker,
                     workers);
}

TEST_CASE("divides a model's GPUs among Ray's head and workers by their requests") {
  const std::string one = "nvidia.com/gpu: 1";
  const std::string two = "nvidia.com/gpu: 2";
  const std::string four = "nvidia.com/gpu: 4";
  const std::vector<Case> cases = {
      {two, two, 2, 3, nvidia("2", "2", 2)},   // 6 = 2 + 2 * 2
      {"", two, 2, 3, nvidia("2", "2", 2)},    // the head gets the remainder
      {"", four, 3, 3, nvidia("1", "4", 2)},   // 9 = 1 + 2 * 4
      {"", four, 2, 2, nvidia("4", "0", 0)},   // one node suffices
      {four, one, 2, 2, nvidia("4", "0", 0)},  // the head suffices
      {four, one, 1, 2, nvidia("2", "0", 0)},  // the head gets no more than needed
      {two, "", 4, 2, nvidia("2", "1", 6)},    // workers with one GPU each
      {four, "", 2, 2, nvidia("4", "1", 0)},   // no GPUs remain for workers
      {"", "", 2, 2, nvidia("1", "1", 3)},     // no requests
      {"", "", 1, 1, nvidia("1", "1", 0)},
      {one, two, 2, 2, "the model needs 4 GPUs, but head and workers have 1 + 2"},
  };
  for (const Case& given : cases) {
    CAPTURE(given.head);
    CAPTURE(given.worker);
    CHECK(counted(given) == given.expected);
  }
}

TEST_CASE("runs one node for each pipeline stage") {
  CHECK(counted({"nvidia.com/gpu: 1", "nvidia.com/gpu: 9", 4, 3, ""}, "mp") == nvidia("4", "4", 2));
  CHECK(counted({"", "", 4, 1, ""}, "mp") == nvidia("4", "4", 0));
}

TEST_CASE("writes, but does not count, resource names from the annotation") {
  CHECK(counted({"a/npu: 2", "a/npu: 2", 2, 2, ""}, "ray", R"(["a/npu"])") ==
        R"({"a/npu":1} {"a/npu":1} 3)");
  CHECK(counted({"", "", 1, 2, ""}, "ray", "no JSON [") == nvidia("1", "1", 1));
}

TEST_CASE("does not overflow on huge degrees of parallelism") {
  CHECK(counted({"", "", 2'000'000'000, 2'000'000'000, ""}) ==
        counted({"", "", 100'000, 100'000, ""}));
  CHECK(counted({"", "", -5, 0, ""}) == nvidia("1", "1", 0));
}

}  // namespace cnsched::kserve::pods_test
