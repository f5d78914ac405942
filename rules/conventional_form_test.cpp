// The most common correct manifest requests an accelerator and tolerates the taint of the same
// name, with or without a selector. No rule may report it as a mistake, in any kind.
#include "core/base/text.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::conventional_form_test {

struct Accelerator {
  std::string_view resource;
  std::string_view taint;
  std::string_view label;  ///< of its nodes, as an entry of nodeSelector
};

constexpr auto kAccelerators = std::to_array<Accelerator>({
    {"nvidia.com/gpu", "nvidia.com/gpu", "nvidia.com/gpu.product: NVIDIA-L4"},
    {"nvidia.com/gpu", "nvidia.com/gpu", "cloud.google.com/gke-accelerator: nvidia-l4"},
    {"nvidia.com/gpu", "nvidia.com/gpu", "karpenter.k8s.aws/instance-gpu-name: l4"},
    {"nvidia.com/gpu", "nvidia.com/gpu", "node.kubernetes.io/instance-type: g6.xlarge"},
    {"nvidia.com/gpu", "nvidia.com/gpu", "pool: inference"},
    {"nvidia.com/mig-3g.40gb", "nvidia.com/gpu", "nvidia.com/gpu.present: \"true\""},
    {"amd.com/gpu", "amd.com/gpu", "amd.com/gpu.device-id: 74a1"},
    {"aws.amazon.com/neuron", "aws.amazon.com/neuron",
     "karpenter.k8s.aws/instance-accelerator-name: inferentia2"},
    {"google.com/tpu", "google.com/tpu", "cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice"},
    {"habana.ai/gaudi", "habana.ai/gaudi", "pool: gaudi"},
});

/// A manifest around the pod's own fields ("@placement") and the resources of the container that
/// runs the model ("@resources").
constexpr auto kManifests = std::to_array<std::string_view>({
    R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations: {serving.kserve.io/deploymentMode: RawDeployment}
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    @placement
    model:
      modelFormat: {name: onnx}
      @resources
)",
    R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations: {serving.kserve.io/deploymentMode: Serverless}
spec:
  predictor:
    @placement
    containers:
    - name: kserve-container
      image: example.org/llama:1
      @resources
---
apiVersion: v1
kind: ConfigMap
metadata: {name: config-features, namespace: knative-serving}
data:
  kubernetes.podspec-nodeselector: enabled
  kubernetes.podspec-tolerations: enabled
)",
    R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations: {serving.kserve.io/deploymentMode: RawDeployment}
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    model:
      runtime: vllm
      modelFormat: {name: vLLM}
      @resources
---
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: vllm}
spec:
  supportedModelFormats:
  - {name: vLLM}
  @placement
  containers:
  - name: kserve-container
    image: example.org/vllm:1
)",
    R"(apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntime
metadata: {name: vllm}
spec:
  supportedModelFormats:
  - {name: vLLM}
  @placement
  containers:
  - name: kserve-container
    image: example.org/vllm:1
    @resources
)",
    R"(apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: llama}
spec:
  model: {uri: "hf://example/llama"}
  replicas: 1
  template:
    @placement
    containers:
    - name: main
      @resources
)",
    R"(apiVersion: machinelearning.seldon.io/v1
kind: SeldonDeployment
metadata: {name: llama}
spec:
  predictors:
  - name: default
    graph: {name: llama, type: MODEL}
    componentSpecs:
    - spec:
        @placement
        containers:
        - name: llama
          image: example.org/llama:1
          @resources
)",
    R"(apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: triton-gpu}
spec:
  serverConfig: triton
  capabilities: [triton-gpu]
  podSpec:
    @placement
    containers:
    - name: triton
      @resources
)",
    R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: llama}
spec:
  selector: {matchLabels: {app: llama}}
  template:
    metadata: {labels: {app: llama}}
    spec:
      @placement
      containers:
      - name: llama
        image: example.org/llama:1
        @resources
)",
});

/// `manifest` with the line of `mark` replaced by the lines of `text`, at the same indentation.
std::string filled(const std::string& manifest, std::string_view mark, std::string_view text) {
  std::string result;
  for (const std::string_view line : split(trim(manifest), '\n')) {
    const std::size_t indent = line.find(mark);
    if (indent == std::string_view::npos) {
      result += fmt::format("{}\n", line);
    } else if (!text.empty()) {
      for (const std::string_view inner : split(text, '\n')) {
        result += fmt::format("{:{}}{}\n", "", indent, inner);
      }
    }
  }
  return result;
}

TEST_CASE(
    "reports no mistake for an accelerator with its usual toleration, whatever its selector") {
  for (const Accelerator& accelerator : kAccelerators) {
    const std::string tolerations = fmt::format(
        "tolerations:\n- key: {}\n  operator: Exists\n  effect: NoSchedule", accelerator.taint);
    const std::string resources =
        fmt::format("resources:\n  limits:\n    {}: 1", accelerator.resource);
    for (const bool selects : {false, true}) {
      const std::string placement =
          selects ? fmt::format("{}\nnodeSelector:\n  {}", tolerations, accelerator.label)
                  : tolerations;
      for (const std::string_view manifest : kManifests) {
        std::string text = filled(std::string(manifest), "@placement", placement);
        text = filled(text, "@resources", resources);
        INFO(text);
        const auto workspace = workspace_of({{"manifest.yaml", text}});
        CHECK(workspace->stats().objects > 0);
        for (const Diagnostic& finding : run(*workspace, Selection::everything()).findings) {
          INFO(finding.rule << ": " << finding.message);
          CHECK(finding.severity == Severity::info);
        }
      }
    }
  }
}

}  // namespace cnsched::rules::conventional_form_test
