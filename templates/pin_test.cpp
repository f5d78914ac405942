#include "templates/pin.h"
#include "core/k8s/pod_spec.h"
#include "testdata/support.h"

namespace cnsched::templates::pin_test {

struct PinOptions {
  std::vector<std::string> sets = {"platform=gke", "accelerator=nvidia-l4"};
  std::vector<std::string> components{};
  std::string container{};
  bool replaces = false;
};

Pinned pinned(const std::string& text, const PinOptions& options = {}) {
  return pin({"m.yaml",
              text,
              {.sets = options.sets},
              options.components,
              options.container,
              options.replaces},
             {});
}

/// The manifest with its pin; fails the test if there are problems, or if more would be added to
/// it.
std::string pin_of(const std::string& text, const PinOptions& options = {}) {
  const Pinned once = pinned(text, options);
  CHECK(once.problems == std::vector<std::string>());
  const Pinned twice = pinned(once.text, options);
  CHECK(twice.problems == std::vector<std::string>());
  CHECK(twice.text == once.text);
  return once.text;
}

std::string problem_of(const std::string& text, const PinOptions& options = {}) {
  const Pinned result = pinned(text, options);
  CHECK(result.text == text);
  return result.problems.empty() ? "none" : result.problems.front();
}

PinOptions on(const std::string& platform, const std::string& accelerator,
              std::vector<std::string> more = {}) {
  PinOptions options{.sets = {"platform=" + platform, "accelerator=" + accelerator}};
  options.sets.insert(options.sets.end(), more.begin(), more.end());
  return options;
}

/// The same, replacing another placement.
PinOptions instead(const std::string& platform, const std::string& accelerator,
                   std::vector<std::string> more = {}) {
  PinOptions options = on(platform, accelerator, std::move(more));
  options.replaces = true;
  return options;
}

const std::string kIsvc =
    "apiVersion: serving.kserve.io/v1beta1\n"
    "kind: InferenceService\n"
    "metadata: {name: llama}\n"
    "spec:\n";

/// A plain pod with these lines in its spec.
std::string pod_with(const std::string& lines) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n" + lines;
}

const std::string kGpu =
    "  containers:\n"
    "  - name: a\n"
    "    resources: {limits: {nvidia.com/gpu: 1}}\n";

TEST_CASE("adds selector and accelerator to a predictor, keeps comments and order") {
  CHECK(pin_of("# The service.\n" + kIsvc +
                   "  predictor:  # serves\n"
                   "    model:\n"
                   "      modelFormat: {name: huggingface}\n"
                   "      # from the bucket\n"
                   "      storageUri: gs://a/b\n"
                   "  # CPU only\n"
                   "  transformer:\n"
                   "    containers: [{name: kserve-container}]\n",
               {.components = {"predictor"}}) ==
        "# The service.\n" + kIsvc +
            "  predictor:  # serves\n"
            "    model:\n"
            "      modelFormat: {name: huggingface}\n"
            "      # from the bucket\n"
            "      storageUri: gs://a/b\n"
            "      resources:\n"
            "        limits:\n"
            "          nvidia.com/gpu: 1\n"
            "    nodeSelector:\n"
            "      cloud.google.com/gke-accelerator: nvidia-l4\n"
            "  # CPU only\n"
            "  transformer:\n"
            "    containers: [{name: kserve-container}]\n");
}

TEST_CASE("pins a transformer by its name") {
  CHECK(pin_of(kIsvc + "  predictor: {sklearn: {storageUri: gs://a/b}}\n"
                       "  transformer:\n"
                       "    containers:\n"
                       "    - name: kserve-container\n"
                       "      image: a:1\n",
               {.components = {"llama/transformer"}}) ==
        kIsvc +
            "  predictor: {sklearn: {storageUri: gs://a/b}}\n"
            "  transformer:\n"
            "    containers:\n"
            "    - name: kserve-container\n"
            "      image: a:1\n"
            "      resources:\n"
            "        limits:\n"
            "          nvidia.com/gpu: 1\n"
            "    nodeSelector:\n"
            "      cloud.google.com/gke-accelerator: nvidia-l4\n");
}

TEST_CASE("without a name, pins the pods that request an accelerator") {
  const std::string text = pin_of(kIsvc +
                                  "  predictor:\n"
                                  "    model:\n"
                                  "      resources:\n"
                                  "        limits:\n"
                                  "          nvidia.com/gpu: 2\n"
                                  "  transformer:\n"
                                  "    containers:\n"
                                  "    - name: kserve-container\n");
  CHECK(has(text, "nvidia.com/gpu: 2\n    nodeSelector:"));
  CHECK(text.ends_with("kserve-container\n"));
}

TEST_CASE("requires a name if several pods request no accelerator") {
  const std::string two = kIsvc +
                          "  predictor: {model: {}}\n"
                          "  transformer: {containers: [{name: a}]}\n";
  CHECK(problem_of(two) ==
        "no pod requests an accelerator: to add a request, choose a component with --component "
        "('predictor' and 'transformer')");
  CHECK(problem_of(kIsvc + "  predictor: {model: {}}\n") ==
        "InferenceService 'llama', predictor requests no accelerator: to add a request, pass "
        "'--component predictor'");
  CHECK(problem_of(two, {.components = {"predcitor", "x"}}) ==
        "the file has no component 'predcitor', did you mean 'predictor'? (it has 'predictor' and "
        "'transformer')\nthe file has no component 'x' (it has 'predictor' and 'transformer')");
  CHECK(problem_of(two + "---\n" + kIsvc + "  predictor: {model: {}}\n",
                   {.components = {"a/predictor"}})
            .starts_with("the file has no component 'a/predictor'"));
}

TEST_CASE("distinguishes pods with the same name by their objects") {
  const std::string one = kIsvc + "  predictor: {model: {}}\n";
  std::string other =
      kIsvc + "  predictor: {model: {}}\n  transformer: {containers: [{name: a}]}\n";
  other.replace(other.find("llama"), 5, "gemma");
  CHECK(problem_of(one + "---\n" + other)
            .ends_with("--component ('llama/predictor', 'gemma/predictor' and 'transformer')"));
}

TEST_CASE("pins a component in every object that has it, or in the named one") {
  const std::string one = kIsvc + "  predictor:\n    model: {}\n";
  std::string other = one;
  other.replace(other.find("llama"), 5, "gemma");
  const std::string pin = "    nodeSelector:\n      cloud.google.com/gke-accelerator: nvidia-l4\n";
  const auto with_pin = [&](std::string text) {
    text.replace(text.find("{}"), 3,
                 "\n      resources:\n        limits:\n          nvidia.com/gpu: 1\n");
    text.replace(text.find("model: \n"), 8, "model:\n");
    return text + pin;
  };
  CHECK(pin_of(one + "---\n" + other, {.components = {"predictor"}}) ==
        with_pin(one) + "---\n" + with_pin(other));
  CHECK(pin_of(one + "---\n" + other, {.components = {"gemma/predictor"}}) ==
        one + "---\n" + with_pin(other));
}

TEST_CASE("pins a worker by itself, with the resources that KServe counts") {
  const std::string text = pin_of(kIsvc +
                                      "  predictor:\n"
                                      "    model: {modelFormat: {name: huggingface}}\n"
                                      "    workerSpec:\n"
                                      "      pipelineParallelSize: 2\n"
                                      "      containers:\n"
                                      "      - name: worker-container\n",
                                  {.components = {"worker"}});
  CHECK(
      text.ends_with("      - name: worker-container\n"
                     "        resources:\n"
                     "          limits:\n"
                     "            nvidia.com/gpu: 1\n"
                     "          requests:\n"
                     "            nvidia.com/gpu: 1\n"
                     "      nodeSelector:\n"
                     "        cloud.google.com/gke-accelerator: nvidia-l4\n"));
  CHECK(has(pin_of(kIsvc + "  predictor:\n    model: {}\n    workerSpec: {}\n",
                   {.components = {"worker"}}),
            "- name: worker-container\n"));
}

TEST_CASE("pins a runtime in its own manifest, which completes its InferenceServices") {
  const std::string runtime =
      "apiVersion: serving.kserve.io/v1alpha1\n"
      "kind: ServingRuntime\n"
      "metadata: {name: vllm}\n"
      "spec:\n"
      "  supportedModelFormats: [{name: vLLM}]\n"
      "  containers:\n"
      "  - name: kserve-container\n"
      "    resources: {limits: {nvidia.com/gpu: 1}}\n";
  const std::string service =
      kIsvc + "  predictor:\n    model: {modelFormat: {name: vLLM}, runtime: vllm}\n";
  CHECK(pin_of(service + "---\n" + runtime) ==
        service + "---\n" + runtime +
            "  nodeSelector:\n    cloud.google.com/gke-accelerator: nvidia-l4\n");
}

TEST_CASE("repeats the tolerations of a runtime, which KServe would drop") {
  const std::string text =
      pin_of(kIsvc +
                 "  predictor:\n    model: {modelFormat: {name: vLLM}, runtime: vllm}\n"
                 "---\n"
                 "apiVersion: serving.kserve.io/v1alpha1\n"
                 "kind: ServingRuntime\n"
                 "metadata: {name: vllm}\n"
                 "spec:\n"
                 "  supportedModelFormats: [{name: vLLM}]\n"
                 "  tolerations: [{key: team, operator: Exists}]\n"
                 "  containers:\n"
                 "  - name: kserve-container\n",
             {on("generic", "nvidia-l4").sets, {"predictor"}});
  CHECK(has(text,
            "    tolerations:\n    - key: team\n      operator: Exists\n    - key: "
            "nvidia.com/gpu\n      operator: Exists\n      effect: NoSchedule\n"));
}

TEST_CASE("creates the missing template of an LLMInferenceService with container main") {
  const std::string llm =
      "apiVersion: serving.kserve.io/v1alpha1\n"
      "kind: LLMInferenceService\n"
      "metadata: {name: llama}\n"
      "spec:\n"
      "  model: {uri: hf://a/b}\n";
  CHECK(pin_of(llm, {.components = {"template"}}) ==
        llm +
            "  template:\n"
            "    nodeSelector:\n"
            "      cloud.google.com/gke-accelerator: nvidia-l4\n"
            "    containers:\n"
            "    - name: main\n"
            "      resources:\n"
            "        limits:\n"
            "          nvidia.com/gpu: 1\n");
  CHECK(pin_of(llm + "  prefill:\n    template:\n      containers:\n      - name: main\n",
               {.components = {"prefill"}})
            .ends_with("      - name: main\n"
                       "        resources:\n"
                       "          limits:\n"
                       "            nvidia.com/gpu: 1\n"
                       "      nodeSelector:\n"
                       "        cloud.google.com/gke-accelerator: nvidia-l4\n"));
}

TEST_CASE("adds a podSpec to a Server and overrides its ServerConfig's model server") {
  const std::string server =
      "apiVersion: mlops.seldon.io/v1alpha1\n"
      "kind: Server\n"
      "metadata: {name: gpu}\n"
      "spec:\n"
      "  serverConfig: triton\n";
  const std::string override =
      "    containers:\n"
      "    - name: triton\n"
      "      resources:\n"
      "        limits:\n"
      "          nvidia.com/gpu: 1\n";
  const std::string selector =
      "    nodeSelector:\n"
      "      cloud.google.com/gke-accelerator: nvidia-l4\n";
  CHECK(pin_of(server, {.components = {"gpu"}}) == server + "  podSpec:\n" + selector + override);
  CHECK(pin_of(server + "  podSpec:\n    priorityClassName: high\n", {.components = {"gpu"}}) ==
        server + "  podSpec:\n    priorityClassName: high\n" + selector + override);
  CHECK(pin_of(server + "  podSpec:\n" + override) ==
        server + "  podSpec:\n" + override + selector);

  std::string own = server;
  own.replace(own.find("triton"), 6, "mine");
  CHECK(has(problem_of(own, {.components = {"gpu"}}), "choose one with --container"));
}

TEST_CASE("pins the component of a SeldonDeployment, or adds one") {
  const std::string head =
      "apiVersion: machinelearning.seldon.io/v1\n"
      "kind: SeldonDeployment\n"
      "metadata: {name: iris}\n"
      "spec:\n"
      "  predictors:\n"
      "  - name: default\n"
      "    graph: {name: classifier, implementation: TRITON_SERVER}\n";
  CHECK(pin_of(head, {.components = {"default"}}) ==
        head +
            "    componentSpecs:\n"
            "    - spec:\n"
            "        nodeSelector:\n"
            "          cloud.google.com/gke-accelerator: nvidia-l4\n"
            "        containers:\n"
            "        - name: classifier\n"
            "          resources:\n"
            "            limits:\n"
            "              nvidia.com/gpu: 1\n");
  CHECK(pin_of(head + "    componentSpecs:\n"
                      "    - spec:\n"
                      "        containers:\n"
                      "        - name: classifier\n"
                      "          resources: {}\n",
               {.components = {"default"}}) ==
        head +
            "    componentSpecs:\n"
            "    - spec:\n"
            "        containers:\n"
            "        - name: classifier\n"
            "          resources:\n"
            "            limits:\n"
            "              nvidia.com/gpu: 1\n"
            "        nodeSelector:\n"
            "          cloud.google.com/gke-accelerator: nvidia-l4\n");
}

TEST_CASE("pins a Deployment within a List and keeps its siblings") {
  const std::string head =
      "apiVersion: v1\n"
      "kind: List\n"
      "items:\n"
      "- apiVersion: v1\n"
      "  kind: Service\n"
      "  metadata: {name: web}\n"
      "- apiVersion: apps/v1\n"
      "  kind: Deployment\n"
      "  metadata: {name: web}\n"
      "  spec:\n"
      "    template:\n"
      "      spec:\n"
      "        containers:\n"
      "        - name: web\n";
  const std::string tail =
      "- apiVersion: v1\n"
      "  kind: ConfigMap\n"
      "  metadata: {name: web}\n";
  CHECK(pin_of(head + tail, {.components = {"web"}}) ==
        head +
            "          resources:\n"
            "            limits:\n"
            "              nvidia.com/gpu: 1\n"
            "        nodeSelector:\n"
            "          cloud.google.com/gke-accelerator: nvidia-l4\n" +
            tail);
}

TEST_CASE("keeps JSON and flow style") {
  CHECK(
      pin_of(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},)"
             R"( "spec": {"containers": [{"name": "a"}]}})",
             {.components = {"a"}}) ==
      R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},)"
      R"( "spec": {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": 1}}}],)"
      R"( "nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-l4"}}})");
  CHECK(pin_of("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a}]}  "
               "# short\n",
               {.components = {"a"}}) ==
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, resources: "
        "{limits: "
        "{nvidia.com/gpu: 1}}}], nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}}  # "
        "short\n");
}

TEST_CASE("keeps line ends and other documents") {
  const std::string text = pin_of(
      "# a\r\napiVersion: v1\r\nkind: Secret\r\ndata: {a:  b}\r\n---\r\napiVersion: v1\r\nkind: "
      "Pod\r\nmetadata: {name: a}\r\nspec:\r\n  containers:\r\n  - name: a\r\n---\r\n# c\r\na: {b: "
      "c}\r\n",
      {.components = {"a"}});
  CHECK(text ==
        "# a\r\napiVersion: v1\r\nkind: Secret\r\ndata: {a:  b}\r\n---\r\napiVersion: v1\r\nkind: "
        "Pod\r\nmetadata: {name: a}\r\nspec:\r\n  containers:\r\n  - name: a\r\n    resources:\r\n "
        "     limits:\r\n        "
        "nvidia.com/gpu: 1\r\n  nodeSelector:\r\n    cloud.google.com/gke-accelerator: "
        "nvidia-l4\r\n---\r\n# c\r\na: {b: c}\r\n");
}

TEST_CASE("replaces the placement of another accelerator") {
  const std::string t4 = pod_with(kGpu +
                                  "  nodeSelector:\n"
                                  "    disk: ssd  # fast\n"
                                  "    cloud.google.com/gke-accelerator: nvidia-tesla-t4  # old\n");
  CHECK(pin_of(t4, instead("gke", "nvidia-l4")) ==
        pod_with(kGpu + "  nodeSelector:\n"
                        "    disk: ssd  # fast\n"
                        "    cloud.google.com/gke-accelerator: nvidia-l4  # old\n"));
  const std::string slice = pin_of(t4, instead("gke", "nvidia-a100-40gb-mig-1g.5gb"));
  CHECK(has(slice, "cloud.google.com/gke-gpu-partition-size: 1g.5gb\n"));
  CHECK(pin_of(slice, instead("gke", "nvidia-tesla-t4")) == t4);
  const std::string tpu = pin_of(t4, instead("gke", "google-tpu-v5e", {"gpus=4"}));
  CHECK_FALSE(has(tpu, "gke-accelerator"));
  CHECK(has(tpu, "{limits: {google.com/tpu: 4}}"));
  CHECK(has(tpu, "cloud.google.com/gke-tpu-topology: 2x2\n"));
}

TEST_CASE("replaces the resource of a card with that of its slices") {
  const std::string text =
      pin_of(pod_with("  containers:\n"
                      "  - name: a\n"
                      "    resources:\n"
                      "      limits:\n"
                      "        nvidia.com/gpu: '2'\n"
                      "        nvidia.com/gpumem: 3000\n"),
             instead("gpu-operator", "nvidia-a100-40gb-mig-1g.5gb", {"migStrategy=mixed"}));
  CHECK(has(text, "        nvidia.com/gpumem: 3000\n        nvidia.com/mig-1g.5gb: \"2\"\n"));
  CHECK_FALSE(has(text, "nvidia.com/gpu: "));
}

TEST_CASE("sets a given number in limits and requests, otherwise keeps the number") {
  const std::string text = pod_with(
      "  containers:\n"
      "  - name: a\n"
      "    resources:\n"
      "      limits:\n"
      "        nvidia.com/gpu: '2'\n"
      "      requests:\n"
      "        nvidia.com/gpu: 2\n");
  CHECK(pin_of(text).starts_with(text));
  const std::string four = pin_of(text, on("gke", "nvidia-l4", {"gpus=4"}));
  CHECK(has(four,
            "limits:\n        nvidia.com/gpu: \"4\"\n      requests:\n        "
            "nvidia.com/gpu: 4\n"));
  CHECK(pin_of(text, on("gke", "nvidia-l4", {"gpus=2"})) == pin_of(text));
}

TEST_CASE("treats an amount of zero as no request and sets it in place") {
  CHECK(has(
      pin_of(pod_with("  containers:\n  - name: a\n    resources: {limits: {nvidia.com/gpu: 0}, "
                      "requests: {nvidia.com/gpu: 0}}\n"),
             {.components = {"a"}}),
      "{limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 1}}"));
}

TEST_CASE("reports a pod without placement fields") {
  const std::string separate =
      "apiVersion: machinelearning.seldon.io/v1\n"
      "kind: SeldonDeployment\n"
      "metadata: {name: iris}\n"
      "spec:\n"
      "  annotations: {seldon.io/engine-separate-pod: 'true'}\n"
      "  predictors:\n"
      "  - name: default\n"
      "    graph: {name: classifier, implementation: TRITON_SERVER}\n";
  CHECK(problem_of(separate, {.components = {"default, svc-orch"}})
            .ends_with("SeldonDeployment 'iris', predictor default, svc-orch has no "
                       "scheduling fields: choose other components with --component"));
  CHECK(pin_of(separate, {.components = {"default"}}).starts_with(separate));
}

TEST_CASE("adds the accelerator to the named container if it is ambiguous") {
  const std::string two = pod_with("  containers:\n  - name: a\n  - name: b\n");
  CHECK(problem_of(two, {.components = {"a"}}) ==
        "m.yaml:5:3: Pod 'a' has no container that is known to be the model server: "
        "choose one with --container ('a' and 'b')");
  CHECK(problem_of(two, {.components = {"a"}, .container = "bb"}) ==
        "m.yaml:5:3: Pod 'a' has no container 'bb', did you mean 'b'? (it has 'a' and 'b')");
  CHECK(has(pin_of(two, {.components = {"a"}, .container = "b"}),
            "- name: a\n  - name: b\n    resources:\n"));
}

TEST_CASE("appends a toleration unless another one suffices") {
  const auto with = [](const std::string& tolerations) {
    return pod_with(kGpu + "  nodeSelector: {accelerator: nvidia-l4}\n" + tolerations);
  };
  const PinOptions options = on("generic", "nvidia-l4");
  const std::string own = with("  tolerations:\n  - key: team\n    operator: Exists\n");
  CHECK(pin_of(own, options) ==
        own + "  - key: nvidia.com/gpu\n    operator: Exists\n    effect: NoSchedule\n");
  for (const std::string enough : {"  tolerations: [{operator: Exists}]\n",
                                   "  tolerations: [{key: nvidia.com/gpu, operator: Exists}]\n"}) {
    CHECK(pin_of(with(enough), options) == with(enough));
  }
  const std::string other =
      with("  tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoExecute}]\n");
  CHECK(pin_of(other, options) != other);
}

TEST_CASE("adds several values to each term of the node affinity") {
  const PinOptions options = instead("gpu-operator", "nvidia-a100-80gb");
  const std::string tolerated = kGpu + "  tolerations: [{operator: Exists}]\n";
  const std::string expression =
      "key: nvidia.com/gpu.product\n"
      "            operator: In\n"
      "            values:\n"
      "            - NVIDIA-A100-SXM4-80GB\n"
      "            - NVIDIA-A100-80GB-PCIe\n";
  const std::string affinity =
      "  affinity:\n"
      "    nodeAffinity:\n"
      "      requiredDuringSchedulingIgnoredDuringExecution:\n"
      "        nodeSelectorTerms:\n";
  CHECK(pin_of(pod_with(tolerated), options) ==
        pod_with(tolerated + affinity + "        - matchExpressions:\n          - " + expression));
  CHECK(pin_of(
            pod_with(tolerated + affinity +
                     "        - matchExpressions:\n"
                     "          - {key: disk, operator: Exists}\n"
                     "        - matchExpressions:\n"
                     "          - {key: nvidia.com/gpu.product, operator: In, values: [Tesla-T4]}\n"
                     "        - matchExpressions:\n"
                     "          - {key: nvidia.com/gpu.product, operator: In, values: "
                     "[NVIDIA-A100-80GB-PCIe]}\n"),
            options) == pod_with(tolerated + affinity +
                                 "        - matchExpressions:\n"
                                 "          - {key: disk, operator: Exists}\n"
                                 "          - " +
                                 expression +
                                 "        - matchExpressions:\n"
                                 "          - {key: nvidia.com/gpu.product, operator: In, values: "
                                 "[NVIDIA-A100-SXM4-80GB, NVIDIA-A100-80GB-PCIe]}\n"
                                 "        - matchExpressions:\n"
                                 "          - {key: nvidia.com/gpu.product, operator: In, values: "
                                 "[NVIDIA-A100-80GB-PCIe]}\n"));
  const std::string selected =
      pod_with(tolerated + "  nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-80GB-PCIe}\n");
  CHECK(pin_of(selected, options) == selected);
  CHECK(!has(
      pin_of(pod_with(tolerated + "  nodeSelector: {nvidia.com/gpu.product: Tesla-T4}\n"), options),
      "nodeSelector:"));
}

TEST_CASE("replaces several expressions of one label") {
  const std::string head = kGpu +
                           "  tolerations: [{operator: Exists}]\n"
                           "  affinity:\n"
                           "    nodeAffinity:\n"
                           "      requiredDuringSchedulingIgnoredDuringExecution:\n"
                           "        nodeSelectorTerms:\n"
                           "        - matchExpressions:\n";
  const auto in = [](const std::string& key, const std::string& value) {
    return "          - {key: " + key + ", operator: In, values: [" + value + "]}\n";
  };
  const std::string product = "nvidia.com/gpu.product";
  const std::string a100 = in(product, "NVIDIA-A100-80GB-PCIe");
  const std::string t4 = in(product, "Tesla-T4");
  const PinOptions a100_80gb = instead("gpu-operator", "nvidia-a100-80gb");
  CHECK(pin_of(pod_with(head + t4 + a100), a100_80gb) == pod_with(head + a100));
  CHECK(pin_of(pod_with(head + t4 + t4), a100_80gb) ==
        pod_with(head + in(product, "NVIDIA-A100-SXM4-80GB, NVIDIA-A100-80GB-PCIe")));
  const std::string gke = "cloud.google.com/gke-accelerator";
  CHECK(pin_of(pod_with(head + in(gke, "nvidia-tesla-t4") + in(gke, "nvidia-tesla-t4")),
               instead("gke", "nvidia-l4")) ==
        pod_with(head + in(gke, "nvidia-l4") + in(gke, "nvidia-l4")));
}

TEST_CASE("replaces the expressions of an affinity that exclude the accelerator") {
  const auto with = [](const std::string& key, const std::string& values) {
    return pod_with(kGpu +
                    "  affinity: {nodeAffinity: "
                    "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                    "[{matchExpressions: [{key: " +
                    key + ", operator: In, values: [" + values + "]}]}]}}}\n");
  };
  const std::string key = "cloud.google.com/gke-accelerator";
  CHECK(pin_of(with(key, "nvidia-l4")) == with(key, "nvidia-l4"));
  CHECK(pin_of(with(key, "nvidia-tesla-t4"), instead("gke", "nvidia-l4")) ==
        with(key, "nvidia-l4"));
  CHECK(problem_of(with(key, "nvidia-l4, nvidia-tesla-t4"),
                   on("gke", "google-tpu-v5e", {"gpus=4"})) ==
        "m.yaml:5:3: Pod 'a' has 'cloud.google.com/gke-accelerator In [nvidia-l4, "
        "nvidia-tesla-t4]' and 'nvidia.com/gpu: 1', which no node with 'google-tpu-v5e' of "
        "platform 'gke' has: replace it with --replace");
  const std::string tpu =
      pin_of(with(key, "nvidia-l4"), instead("gke", "google-tpu-v5e", {"gpus=4"}));
  CHECK_FALSE(has(tpu, "affinity"));
  CHECK(has(tpu, "cloud.google.com/gke-tpu-topology: 2x2\n"));
}

TEST_CASE("rejects a placement on nodes of another provider, and replaces it on request") {
  const std::string gke = pod_with(kGpu +
                                   "  nodeSelector:\n"
                                   "    cloud.google.com/gke-accelerator: nvidia-l4\n"
                                   "    cloud.google.com/gke-spot: \"true\"\n"
                                   "    disk: ssd  # fast\n");
  const Pinned rejected = pinned(gke, on("eks", "nvidia-tesla-t4"));
  CHECK(rejected.failure == Pinned::Failure::request);
  CHECK(rejected.text == gke);
  CHECK(rejected.problems ==
        std::vector<std::string>{
            "m.yaml:5:3: Pod 'a' has 'cloud.google.com/gke-accelerator: nvidia-l4' and "
            "'cloud.google.com/gke-spot: true', which no node with 'nvidia-tesla-t4' of platform "
            "'eks' has: replace it with --replace"});
  CHECK(has(pin_of(gke, instead("eks", "nvidia-tesla-t4")),
            "  nodeSelector:\n"
            "    disk: ssd  # fast\n"
            "    k8s.amazonaws.com/accelerator: nvidia-tesla-t4\n"));
}

TEST_CASE("removes a term for another provider, and the last expression with its affinity") {
  const auto with = [](const std::string& terms) {
    return pod_with(kGpu +
                    "  affinity:\n"
                    "    nodeAffinity:\n"
                    "      requiredDuringSchedulingIgnoredDuringExecution:\n"
                    "        nodeSelectorTerms:\n" +
                    terms);
  };
  const auto term = [](const std::string& key, const std::string& value) {
    return "        - matchExpressions:\n          - {key: " + key + ", operator: In, values: [" +
           value + "]}\n";
  };
  const std::string eks = term("eks.amazonaws.com/nodegroup", "gpu");
  const std::string aks = term("kubernetes.azure.com/mode", "user");
  const std::string disk = term("disk", "ssd");
  const std::string selector = "  nodeSelector:\n    cloud.google.com/gke-accelerator: nvidia-l4\n";
  const PinOptions replacing = instead("gke", "nvidia-l4");
  CHECK(has(problem_of(with(eks + disk)), "'eks.amazonaws.com/nodegroup In [gpu]'"));
  CHECK(pin_of(with(eks + disk + aks), replacing) == with(disk) + selector);
  CHECK(pin_of(with(eks + aks), replacing) == pod_with(kGpu + selector));
  CHECK(pin_of(with(eks + "          - {key: disk, operator: Exists}\n"), replacing) ==
        with("        - matchExpressions:\n          - {key: disk, operator: Exists}\n") +
            selector);
  const std::string product = pin_of(with(eks), instead("aks", "nvidia-a100-80gb"));
  CHECK_FALSE(has(product, "eks.amazonaws.com"));
}

TEST_CASE("reports a conflicting label of a runtime, which a service cannot remove") {
  const std::string text = kIsvc +
                           "  predictor:\n    model: {modelFormat: {name: vLLM}, runtime: vllm}\n"
                           "---\n"
                           "apiVersion: serving.kserve.io/v1alpha1\n"
                           "kind: ServingRuntime\n"
                           "metadata: {name: vllm}\n"
                           "spec:\n"
                           "  supportedModelFormats: [{name: vLLM}]\n"
                           "  nodeSelector: {eks.amazonaws.com/nodegroup: gpu}\n"
                           "  containers:\n"
                           "  - name: kserve-container\n"
                           "    resources: {limits: {nvidia.com/gpu: 1}}\n";
  PinOptions service = instead("gke", "nvidia-l4");
  service.components = {"predictor"};
  CHECK(problem_of(text, service)
            .ends_with("InferenceService 'llama', predictor inherits "
                       "'eks.amazonaws.com/nodegroup: gpu' from the object that it is based on, "
                       "which no node with 'nvidia-l4' of platform 'gke' has: pin that object"));
  CHECK_FALSE(has(pin_of(text, instead("gke", "nvidia-l4")), "eks.amazonaws.com"));
}

TEST_CASE("reports aliases, templates and invalid YAML with their position") {
  CHECK(problem_of("apiVersion: v1\nkind: Pod\nx: &s\n  containers:\n  - name: a\n    resources: "
                   "{limits: {nvidia.com/gpu: 1}}\nspec: *s\n")
            .starts_with("m.yaml:7:7: "));
  CHECK(
      problem_of("apiVersion: v1\nkind: Pod\nx: &s\n  nodeSelector:\n    "
                 "cloud.google.com/gke-accelerator: nvidia-tesla-t4\nmetadata: {name: a}\nspec:\n  "
                 "<<: *s\n"
                 "  containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]\n",
                 instead("gke", "nvidia-l4")) ==
      "m.yaml:8:3: '/x/nodeSelector/cloud.google.com~1gke-accelerator' is repeated by an alias: "
      "an edit would change both places: replace the alias with a copy of the values, and run the "
      "command again");
  CHECK(problem_of(kIsvc + "  {{- if .Values.gpu }}\n  predictor: {}\n  {{- end }}\n")
            .starts_with("m.yaml:1:1: this is a Helm template: "));
  CHECK(problem_of(kIsvc + "  predictor: [\n")
            .ends_with("; fix it first ('cnsched lint' shows details)"));
  CHECK(problem_of("a: b\n") ==
        "m.yaml: the file has no object that can be pinned: no model server, Deployment or other "
        "object that creates pods");
  CHECK(problem_of(pod_with("  nodeSelector: a\n" + kGpu))
            .starts_with("m.yaml:5:3: 'nodeSelector' must be a mapping"));
}

TEST_CASE("rejects an accelerator that the platform does not have, with all other errors") {
  const Pinned result = pinned(pod_with(kGpu), {.sets = {"gpus=many", "platfrom=gke"}});
  CHECK(result.failure == Pinned::Failure::request);
  CHECK(result.problems.size() == 4);
  CHECK(result.corrected_settings.size() == 2);
  CHECK(has(problem_of(pod_with(kGpu), on("gke", "nvidia-l40s")), "GKE has no 'nvidia-l40s'"));
}

TEST_CASE("pins every kind of manifest to every accelerator, idempotently") {
  const auto component_of = [](const std::string& manifest) -> std::string {
    if (has(manifest, "LLMInferenceService")) return "template";
    return has(manifest, "InferenceService") ? "predictor" : "a";
  };
  const std::vector<std::string> manifests = {
      pod_with(kGpu),
      pod_with("  nodeSelector:\n" + kGpu),
      pod_with("  tolerations: []\n  affinity:\n  containers: [{name: a}]\n"),
      kIsvc + "  predictor: {model: {modelFormat: {name: a}}}\n",
      kIsvc +
          "  predictor:\n    triton:\n      resources:\n        requests: {nvidia.com/gpu: 1}\n"
          "        limits: {nvidia.com/gpu: 1}\n    tolerations:\n    - operator: Exists\n",
      kIsvc +
          "  predictor:\n    minReplicas: 1\n    containers:\n    - name: kserve-container\n"
          "      image: a",
      "apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nmetadata: {name: a}\nspec: "
      "{serverConfig: mlserver}\n",
      "kind: LLMInferenceService\napiVersion: serving.kserve.io/v1alpha1\nspec:\n  template:\n    "
      "containers: [{name: main}]\n",
  };
  for (const std::string& manifest : manifests) {
    for (const std::string platform :
         {"gke", "eks", "karpenter", "aks", "gpu-operator", "generic"}) {
      for (const std::string accelerator :
           {"nvidia-tesla-t4", "nvidia-a100-80gb", "nvidia-h100-80gb", "google-tpu-v5e",
            "amd-mi300x", "nvidia-a100-40gb-mig-1g.5gb"}) {
        CAPTURE(manifest);
        CAPTURE(platform);
        CAPTURE(accelerator);
        PinOptions options = instead(platform, accelerator);
        options.components = {component_of(manifest)};
        const Pinned once = pinned(manifest, options);
        CHECK(once.failure != Pinned::Failure::manifest);
        if (once.failure != Pinned::Failure::none) continue;
        CHECK(once.text != manifest);
        CHECK(pinned(once.text, options).text == once.text);
        // And back again.
        PinOptions back = instead("generic", "nvidia-l4");
        back.components = options.components;
        const Pinned other = pinned(once.text, back);
        CHECK(other.failure == Pinned::Failure::none);
      }
    }
  }
}

}  // namespace cnsched::templates::pin_test
