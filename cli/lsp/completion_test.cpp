#include "cli/lsp/requests.h"
#include "testdata/support.h"

namespace cnsched::cli::lsp::completion_test {

using Labels = std::vector<std::string>;

/// An editor with a folder of files and one open document.
class Editor {
 public:
  Editor() { checker_.set_folders({folder_.root().string()}); }

  const TemporaryDirectory& folder() const { return folder_; }
  ClientAbilities& client() { return client_; }

  /// Requests the proposals at the '|' in the text.
  Json complete(const std::string& marked) {
    const std::size_t cursor = marked.find('|');
    REQUIRE(cursor != std::string::npos);
    text_ = marked.substr(0, cursor) + marked.substr(cursor + 1);
    const std::string path = folder_.path("open.yaml");
    const Json document = {{"uri", uri_of_path(path)}, {"version", 1}, {"text", text_}};
    REQUIRE(documents_.open({{"textDocument", document}}));
    checker_.check();
    const SourceFile file(0, path, text_);
    const Place place = place_of(file, static_cast<std::uint32_t>(cursor), client_.encoding, true);
    Question question{.path = path, .place = place, .params = {}};
    Json answer = completions(question, {checker_, documents_, client_});
    items_ = answer.is_array() ? answer : answer["items"];
    return answer;
  }
  /// The labels, in the order in which editors show them.
  Labels labels(const std::string& marked) {
    complete(marked);
    std::vector<std::pair<std::string, std::string>> sorted;
    for (const Json& item : items_) sorted.emplace_back(item["sortText"], item["label"]);
    std::ranges::sort(sorted);
    Labels labels;
    for (const auto& [sort_text, label] : sorted) labels.push_back(label);
    return labels;
  }
  /// The proposal of that label; null if there is none.
  Json item(const std::string& label) const {
    for (const Json& item : items_) {
      if (item["label"] == label) return item;
    }
    return nullptr;
  }
  /// The text after that proposal is taken.
  std::string taken(const std::string& label) const {
    const Json item = this->item(label);
    CAPTURE(label);
    CAPTURE(text_of(items_));
    REQUIRE(item.is_object());
    std::string text = text_;
    REQUIRE(
        apply_change({{"range", item["textEdit"]["range"]}, {"text", item["textEdit"]["newText"]}},
                     client_.encoding, text));
    return text;
  }
  std::string taken(const std::string& marked, const std::string& label) {
    complete(marked);
    return taken(label);
  }

 private:
  TemporaryDirectory folder_;
  WorkingDirectory before_{folder_.root()};
  Documents documents_;
  Checker checker_{Settings(), documents_};
  ClientAbilities client_;
  std::string text_;
  Json items_;
};

bool has(const Labels& labels, std::string_view label) {
  return std::ranges::find(labels, label) != labels.end();
}

std::string service(const std::string& spec) {
  return "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
         "metadata: {name: a, namespace: ml}\n" +
         spec;
}

std::string pod(const std::string& spec) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n" + spec;
}

constexpr const char* kPool = R"(apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    metadata:
      labels: {team: vision, nvidia.com/gpu.product: NVIDIA-L4, spot: "true"}
    spec:
      requirements:
      - {key: topology.kubernetes.io/zone, operator: In, values: [eu-1a, eu-1b]}
      taints:
      - {key: dedicated, value: inference, effect: NoSchedule}
      - {key: nvidia.com/gpu, value: present, effect: NoExecute}
)";

TEST_CASE("the fields that an object lacks are proposed, required ones first") {
  Editor editor;
  const Labels fields = editor.labels(service("spec:\n  predictor: {}\n  |\n"));
  CHECK(has(fields, "transformer"));
  CHECK(has(fields, "explainer"));
  CHECK_FALSE(has(fields, "predictor"));
  CHECK_FALSE(has(fields, "containers"));
  const Labels container = editor.labels(pod("  containers:\n  - image: a\n    |\n"));
  REQUIRE_FALSE(container.empty());
  CHECK(container.front() == "name");
  CHECK(editor.item("name")["detail"] == "string, required");
  CHECK(editor.item("env")["detail"] == "list of EnvVar");
  CHECK(editor.item("resources")["detail"] == "ResourceRequirements");
  CHECK(editor.labels(service("spec:\n  tr|\n")) == Labels{"transformer"});
  CHECK(editor.labels(service("spec:\n  TRANS|\n")) == Labels{"transformer"});
}

TEST_CASE("a field is inserted with what its value begins with") {
  Editor editor;
  const std::string spec = "  restartPolicy: Always\n";
  CHECK(editor.taken(pod(spec + "  host|"), "hostname") == pod(spec + "  hostname: "));
  CHECK(editor.taken(pod(spec + "  aff|\n"), "affinity") == pod(spec + "  affinity:\n    \n"));
  CHECK(editor.taken(pod(spec + "  tol|\n"), "tolerations") ==
        pod(spec + "  tolerations:\n  - \n"));
  const std::string indented = "  containers:\n    - name: a\n";
  CHECK(editor.taken(pod(indented + "  tol|\n"), "tolerations") ==
        pod(indented + "  tolerations:\n    - \n"));
  CHECK(editor.taken(pod("  ho|st: a\n"), "hostname") == pod("  hostname: a\n"));
  CHECK(editor.taken(pod("  containers:\n  -|\n"), "name") == pod("  containers:\n  - name: \n"));
  CHECK(editor.taken(pod("  containers:\n  - env|\n"), "env") ==
        pod("  containers:\n  - env:\n    - \n"));
  CHECK(editor.taken(pod("  containers:\n  - name: a\n  |\n"), "hostname") ==
        pod("  containers:\n  - name: a\n  hostname: \n"));
  CHECK(editor.taken(pod("  containers:\n    - name: a\n    |\n"), "image") ==
        pod("  containers:\n    - name: a\n    - image: \n"));
  CHECK(editor.taken(pod("  containers:\n    |\n"), "image") ==
        pod("  containers:\n    - image: \n"));
}

TEST_CASE("what begins with the typed word comes before what has a part that does") {
  Editor editor;
  const Labels labels = editor.labels(pod("  nodeSelector:\n    nvid|\n"));
  REQUIRE_FALSE(labels.empty());
  CHECK(labels.front().starts_with("nvidia.com/"));
  CHECK(labels.back() == "gpu.nvidia.com/vram");
}

TEST_CASE("values of enumerations and booleans are proposed") {
  Editor editor;
  CHECK(editor.labels(pod("  hostNetwork: |\n")) == Labels{"false", "true"});
  CHECK(editor.taken(pod("  hostNetwork:|\n"), "true") == pod("  hostNetwork: true\n"));
  const Labels policies = editor.labels(pod("  dnsPolicy: Clus|\n"));
  CHECK(policies == Labels{"ClusterFirst", "ClusterFirstWithHostNet"});
  CHECK(editor.taken(pod("  dnsPolicy: Clus|terX # why\n"), "ClusterFirst") ==
        pod("  dnsPolicy: ClusterFirst # why\n"));
  CHECK(editor.taken(pod("  dnsPolicy: \"Clus|\"\n"), "ClusterFirst") ==
        pod("  dnsPolicy: \"ClusterFirst\"\n"));
  CHECK(editor.taken(pod("  dnsPolicy: \"Clus|\n"), "ClusterFirst") ==
        pod("  dnsPolicy: \"ClusterFirst\n"));
}

TEST_CASE("a new document begins with its kind") {
  Editor editor;
  CHECK(has(editor.labels("|"), "apiVersion"));
  CHECK(has(editor.labels("# a comment\n\nap|\n"), "apiVersion"));
  CHECK(has(editor.labels("a: b\n---\n|\n---\nc: d\n"), "kind"));
  const Labels versions = editor.labels("apiVersion: |\n");
  CHECK(has(versions, "serving.kserve.io/v1beta1"));
  CHECK(has(versions, "apps/v1"));
  CHECK(editor.labels("apiVersion: |\nkind: Model\n") == Labels{"mlops.seldon.io/v1alpha1"});
  const Labels kinds = editor.labels("apiVersion: mlops.seldon.io/v1alpha1\nkind: |\n");
  CHECK(has(kinds, "ServerConfig"));
  CHECK_FALSE(has(kinds, "InferenceService"));
  CHECK(has(editor.labels("kind: |"), "InferenceService"));
}

TEST_CASE("fields and kinds of other releases are not proposed") {
  Editor editor;
  CHECK(has(editor.labels("kind: |"), "LLMInferenceService"));
  editor.folder().write(".cnsched.yaml", "cluster: {kserve: \"0.15\"}\n");
  const Labels kinds = editor.labels("kind: |");
  CHECK(has(kinds, "InferenceService"));
  CHECK_FALSE(has(kinds, "LLMInferenceService"));
}

TEST_CASE("labels of nodes and their values are proposed") {
  Editor editor;
  editor.folder().write("pool.yaml", kPool);
  const Labels keys = editor.labels(pod("  nodeSelector:\n    |\n"));
  CHECK(has(keys, "team"));
  CHECK(has(keys, "topology.kubernetes.io/zone"));
  CHECK(has(keys, "nvidia.com/gpu.memory"));
  CHECK(editor.item("team")["detail"] == "label of NodePool 'gpu'");
  CHECK_FALSE(has(editor.labels(pod("  nodeSelector:\n    team: a\n    |\n")), "team"));
  CHECK(editor.taken(pod("  nodeSelector:\n    gpu.prod|\n"), "nvidia.com/gpu.product") ==
        pod("  nodeSelector:\n    nvidia.com/gpu.product: \n"));
  const Labels values = editor.labels(pod("  nodeSelector:\n    nvidia.com/gpu.product: |\n"));
  REQUIRE(values.size() > 2);
  CHECK(values.front() == "NVIDIA-L4");
  CHECK(has(values, "NVIDIA-H100-80GB-HBM3"));
  CHECK(editor.taken(pod("  nodeSelector:\n    spot: |\n"), "true") ==
        pod("  nodeSelector:\n    spot: \"true\"\n"));

  const std::string affinity =
      "  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
      "        nodeSelectorTerms:\n        - matchExpressions:\n";
  CHECK(has(editor.labels(pod(affinity + "          - key: te|\n")), "team"));
  const std::string zone = "          - key: topology.kubernetes.io/zone\n";
  CHECK(editor.labels(pod(affinity + zone + "            values:\n            - |\n")) ==
        Labels{"eu-1a", "eu-1b"});
  CHECK(editor.labels(pod(affinity + zone + "            values: [eu-1a, eu|]\n")) ==
        Labels{"eu-1a", "eu-1b"});
  CHECK(has(editor.labels(pod(affinity + zone + "            operator: |\n")), "Gt"));
}

TEST_CASE("resources of containers are proposed") {
  Editor editor;
  const std::string limits = "  containers:\n  - name: a\n    resources:\n      limits:\n";
  const Labels names = editor.labels(pod(limits + "        cpu: 1\n        |\n"));
  CHECK(has(names, "memory"));
  CHECK(has(names, "nvidia.com/gpu"));
  CHECK_FALSE(has(names, "cpu"));
  CHECK(editor.taken(pod(limits + "        nvidia|\n"), "nvidia.com/gpu") ==
        pod(limits + "        nvidia.com/gpu: \n"));
}

TEST_CASE("taints of known pools are proposed for tolerations") {
  Editor editor;
  editor.folder().write("pool.yaml", kPool);
  const Labels first = editor.labels(pod("  tolerations:\n  - |\n"));
  CHECK(has(first, "dedicated=inference:NoSchedule"));
  CHECK(has(first, "tolerationSeconds"));
  const std::string whole =
      "  - key: dedicated\n    operator: Equal\n    value: inference\n    effect: NoSchedule\n";
  CHECK(editor.taken("dedicated=inference:NoSchedule") == pod("  tolerations:\n" + whole));
  CHECK(editor.taken(pod("  tolerations:\n    |\n"), "nvidia.com/gpu=present:NoExecute") ==
        pod("  tolerations:\n    - key: nvidia.com/gpu\n      operator: Exists\n"
            "      effect: NoExecute\n"));
  CHECK(editor.taken(pod("  tolerations: [{|}]\n"), "nvidia.com/gpu=present:NoExecute") ==
        pod("  tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoExecute}]\n"));
  CHECK_FALSE(has(editor.labels(pod("  tolerations:\n  - key: a\n    |\n")),
                  "dedicated=inference:NoSchedule"));

  const Labels keys = editor.labels(pod("  tolerations:\n  - key: |\n"));
  CHECK(has(keys, "dedicated"));
  CHECK(has(keys, "aws.amazon.com/neuron"));
  CHECK(editor.item("dedicated")["detail"] == "taint of NodePool 'gpu'");
  CHECK(editor.labels(pod("  tolerations:\n  - key: dedicated\n    value: |\n")) ==
        Labels{"inference"});
  const Labels effects = editor.labels(pod("  tolerations:\n  - key: dedicated\n    effect: |\n"));
  CHECK(effects == Labels{"NoSchedule", "NoExecute", "PreferNoSchedule"});
  CHECK(editor.labels(pod("  tolerations:\n  - operator: E|\n")) == Labels{"Equal", "Exists"});
}

TEST_CASE("runtimes and model formats of the workspace are proposed") {
  Editor editor;
  editor.folder().write("runtime.yaml",
                        "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\n"
                        "metadata: {name: vllm-l4, namespace: ml}\n"
                        "spec: {supportedModelFormats: [{name: vLLM}], containers: []}\n"
                        "---\n"
                        "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\n"
                        "metadata: {name: other, namespace: elsewhere}\n"
                        "spec: {supportedModelFormats: [{name: x}], containers: []}\n"
                        "---\n"
                        "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceServiceConfig\n"
                        "metadata: {name: base, namespace: ml}\nspec: {}\n");
  const std::string model = "spec:\n  predictor:\n    model:\n";
  const Labels runtimes = editor.labels(service(model + "      runtime: |\n"));
  REQUIRE_FALSE(runtimes.empty());
  CHECK(runtimes.front() == "vllm-l4");
  CHECK(has(runtimes, "kserve-huggingfaceserver"));
  CHECK_FALSE(has(runtimes, "other"));
  const Labels formats = editor.labels(service(model + "      modelFormat:\n        name: |\n"));
  REQUIRE_FALSE(formats.empty());
  CHECK(formats.front() == "vLLM");
  CHECK(editor.item("vLLM")["detail"] == "format of ServingRuntime 'vllm-l4'");
  CHECK(has(formats, "huggingface"));
  CHECK(editor.labels("apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\n"
                      "metadata: {name: a, namespace: ml}\nspec:\n  baseRefs:\n  - name: |\n") ==
        Labels{"base"});
}

TEST_CASE("Servers, ServerConfigs and capabilities of Seldon are proposed") {
  Editor editor;
  editor.folder().write("server.yaml",
                        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\n"
                        "metadata: {name: llm, namespace: ml}\n"
                        "spec: {serverConfig: mlserver, extraCapabilities: [vllm]}\n"
                        "---\n"
                        "apiVersion: mlops.seldon.io/v1alpha1\nkind: ServerConfig\n"
                        "metadata: {name: custom, namespace: seldon}\nspec: {podSpec: {}}\n");
  const std::string model =
      "apiVersion: mlops.seldon.io/v1alpha1\nkind: Model\nmetadata: {name: a, namespace: ml}\n"
      "spec:\n";
  CHECK(editor.labels(model + "  server: |\n") == Labels{"llm", "mlserver", "triton"});
  const Labels tags = editor.labels(model + "  requirements:\n  - |\n");
  CHECK(has(tags, "vllm"));
  CHECK(has(tags, "triton"));
  CHECK(editor.taken(model + "  requirements:\n    |\n", "vllm") ==
        model + "  requirements:\n    - vllm\n");
  const std::string head = "apiVersion: mlops.seldon.io/v1alpha1\nmetadata: {name: a}\n";
  CHECK(editor.labels(head + "kind: Server\nspec: {serverConfig: |}\n") ==
        Labels{"custom", "mlserver", "triton"});
  CHECK(editor.labels(head + "kind: SeldonRuntime\nspec: {seldonConfig: |}\n") ==
        Labels{"default"});
}

TEST_CASE("flags of Knative and annotations of KServe are proposed") {
  Editor editor;
  const std::string features =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features}\ndata:\n"
      "  kubernetes.podspec-affinity: enabled\n";
  const Labels flags = editor.labels(features + "  podspec-|\n");
  CHECK(has(flags, "kubernetes.podspec-tolerations"));
  CHECK_FALSE(has(flags, "kubernetes.podspec-affinity"));
  CHECK(editor.labels(features + "  kubernetes.podspec-tolerations: |\n") ==
        Labels{"allowed", "disabled", "enabled"});
  CHECK(
      editor.labels("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata:\n  |\n").empty());
  CHECK(has(editor.labels("apiVersion: operator.knative.dev/v1beta1\nkind: KnativeServing\n"
                          "metadata: {name: a}\nspec:\n  config:\n    features:\n      |\n"),
            "kubernetes.podspec-tolerations"));

  const std::string annotated =
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: a\n"
      "  annotations:\n";
  CHECK(has(editor.labels(annotated + "    dep|\n"), "serving.kserve.io/deploymentMode"));
  CHECK(
      has(editor.labels(annotated + "    serving.kserve.io/deploymentMode: |\n"), "RawDeployment"));
}

TEST_CASE("nothing is proposed in comments and texts") {
  Editor editor;
  CHECK(editor.labels(pod("  # ho|\n")).empty());
  CHECK(editor.labels(pod("  hostNetwork: true # t|\n")).empty());
  const std::string args = "  containers:\n  - name: a\n    args:\n    - >-\n";
  CHECK(editor.labels(pod(args + "      na|\n    image: b\n")).empty());
  CHECK(editor.labels(pod(args + "      a\n\n      |\n      b\n")).empty());
  CHECK(editor.labels(pod("  hostname: \"a\n    b|\n    c\"\n")).empty());
  CHECK(editor.labels(pod("  hostname: a\n    b|\n    c\n")).empty());
  CHECK(editor.labels("a: [b: {|\n").empty());
  CHECK(editor.labels("{{ if .Values.x }}\nspec:\n  |\n{{ end }}\n").empty());
}

TEST_CASE("other documents and later lines may be broken") {
  Editor editor;
  const std::string broken = "a: [b\n---\n";
  CHECK(has(editor.labels(broken + service("spec:\n  |\n")), "predictor"));
  CHECK(has(editor.labels(service("spec:\n  |\n") + "---\n" + broken), "predictor"));
  CHECK(has(editor.labels(service("spec:\n  |\n  predictor: [\n")), "transformer"));
  CHECK(has(editor.labels(service("spec:\n  tr|\n  predictor\n")), "transformer"));
}

TEST_CASE("items of lists of objects have their own kinds") {
  Editor editor;
  const std::string list =
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  spec:\n    |\n"
      "- apiVersion: apps/v1\n  kind: Deployment\n  spec:\n    replicas: 1\n";
  CHECK(has(editor.labels(list), "tolerations"));
}

TEST_CASE("flow style and JSON are completed") {
  Editor editor;
  editor.folder().write("pool.yaml", kPool);
  CHECK(editor.taken(pod("  tolerations: [{key: ded|, operator: Exists}]\n"), "dedicated") ==
        pod("  tolerations: [{key: dedicated, operator: Exists}]\n"));
  CHECK(editor.taken(pod("  tolerations: [{key: a, op|\n"), "operator") ==
        pod("  tolerations: [{key: a, operator: \n"));
  CHECK(editor.taken(pod("  tolerations:\n  - {key: a,\n     op|}\n"), "operator") ==
        pod("  tolerations:\n  - {key: a,\n     operator: }\n"));
  const std::string json = R"({"apiVersion": "v1", "kind": "Pod", "spec": {)";
  CHECK(editor.taken(json + R"("hostN|": true}})", "hostNetwork") ==
        json + R"("hostNetwork": true}})");
  CHECK(editor.taken(json + "\n\"dnsPolicy\": \"|\"\n}}", "Default") ==
        json + "\n\"dnsPolicy\": \"Default\"\n}}");
}

TEST_CASE("line breaks and encodings are those of the file and the client") {
  Editor editor;
  const std::string text =
      "apiVersion: v1\r\nkind: Pod\r\nmetadata: {name: \xF0\x9F\x98\x80, namesp|}\r\nspec: {}\r\n";
  const std::string expected =
      "apiVersion: v1\r\nkind: Pod\r\nmetadata: {name: \xF0\x9F\x98\x80, namespace: }\r\n"
      "spec: {}\r\n";
  CHECK(editor.taken(text, "namespace") == expected);
  CHECK(editor.item("namespace")["textEdit"]["range"]["start"] ==
        Json{{"line", 2}, {"character", 21}});
  editor.client().encoding = PositionEncoding::utf8;
  CHECK(editor.taken(text, "namespace") == expected);
  CHECK(editor.taken("apiVersion: v1\r\nkind: Pod\r\nspec:\r\n  aff|\r\n", "affinity") ==
        "apiVersion: v1\r\nkind: Pod\r\nspec:\r\n  affinity:\r\n    \r\n");
  CHECK(editor.taken("\xEF\xBB\xBF"
                     "api|\n",
                     "apiVersion") ==
        "\xEF\xBB\xBF"
        "apiVersion: \n");
}

TEST_CASE("long lists are cut") {
  Editor editor;
  std::string pools;
  for (int i = 0; i < 300; ++i) {
    pools += fmt::format(
        "apiVersion: v1\nkind: Node\nmetadata: {{name: n{0}, labels: {{rack: r{0}}}}}\n---\n", i);
  }
  editor.folder().write("nodes.yaml", pools);
  const Json all = editor.complete(pod("  nodeSelector: {rack: |}\n"));
  CHECK(all["isIncomplete"] == true);
  CHECK(all["items"].size() == 200);
  const Json some = editor.complete(pod("  nodeSelector: {rack: r29|}\n"));
  CHECK(some["isIncomplete"] == false);
  CHECK(some["items"].size() == 11);
}

}  // namespace cnsched::cli::lsp::completion_test
