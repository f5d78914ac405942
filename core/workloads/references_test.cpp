#include "core/workloads/references.h"
#include "testdata/support.h"

namespace cnsched::references_test {

constexpr const char* kServices = R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  labels: {kueue.x-k8s.io/queue-name: gpus}
  annotations: {opendatahub.io/hardware-profile-name: large}
spec:
  predictor:
    runtimeClassName: nvidia
    priorityClassName: high
    volumes: [{name: a, persistentVolumeClaim: {claimName: cache}}]
    model:
      modelFormat: {name: huggingface}
      runtime: vllm
      storageUri: pvc://models/llama
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris}
spec:
  predictor:
    sklearn: {storageUri: gs://models/iris}
---
apiVersion: serving.kserve.io/v1alpha1
kind: InferenceGraph
metadata: {name: chain}
spec:
  nodes:
    root: {routerType: Sequence, steps: [{serviceName: iris}, {serviceUrl: http://x}]}
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: llm}
spec:
  model: {uri: hf://a/b}
  baseRefs: [{name: preset}]
  template: {containers: [{name: main}]}
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Model
metadata: {name: model}
spec: {server: mlserver}
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: mlserver}
spec: {serverConfig: config}
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Experiment
metadata: {name: test}
spec:
  resourceType: pipeline
  candidates: [{name: one, weight: 50}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: gpus}
spec: {clusterQueue: all}
)";

constexpr const char* kTargets = R"(apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: vllm}
spec:
  supportedModelFormats: [{name: huggingface}]
  containers: [{name: kserve-container, image: a:1}]
---
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntime
metadata: {name: sklearn}
spec:
  supportedModelFormats: [{name: sklearn, autoSelect: true}]
  containers: [{name: kserve-container, image: a:1}]
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: preset, namespace: kserve}
---
apiVersion: mlops.seldon.io/v1alpha1
kind: ServerConfig
metadata: {name: config, namespace: seldon}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: models}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: cache}
---
apiVersion: infrastructure.opendatahub.io/v1
kind: HardwareProfile
metadata: {name: large}
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Pipeline
metadata: {name: one}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: all}
)";

/// "vllm -> ServingRuntime vllm", for each reference of each object with the name.
std::vector<std::string> found(const ClusterScope& scope, std::string_view name) {
  std::vector<std::string> all;
  for (const k8s::Object& object : scope.objects()) {
    if (object.name != name) continue;
    for (const Reference& reference : references_of(object, scope)) {
      for (const k8s::Object* target : reference.targets(scope, 2)) {
        CHECK(reference.is_to(*target, scope));
        all.push_back(
            fmt::format("{} -> {} {}", reference.field->text(), target->kind, target->name));
      }
    }
  }
  std::ranges::sort(all);
  return all;
}

using Found = std::vector<std::string>;

TEST_CASE("references lead from fields to the objects that they name") {
  const auto workspace = workspace_of({{"services.yaml", kServices}, {"targets.yaml", kTargets}});
  const ClusterScope& scope = scope_of(*workspace);
  CHECK(found(scope, "llama") ==
        Found{"cache -> PersistentVolumeClaim cache", "gpus -> LocalQueue gpus",
              "high -> PriorityClass high", "huggingface -> ServingRuntime vllm",
              "large -> HardwareProfile large", "nvidia -> RuntimeClass nvidia",
              "pvc://models/llama -> PersistentVolumeClaim models", "vllm -> ServingRuntime vllm"});
  CHECK(found(scope, "iris") == Found{"sklearn -> ClusterServingRuntime sklearn"});
  CHECK(found(scope, "chain") == Found{"iris -> InferenceService iris"});
  CHECK(found(scope, "llm") == Found{"preset -> LLMInferenceServiceConfig preset"});
  CHECK(found(scope, "model") == Found{"mlserver -> Server mlserver"});
  CHECK(found(scope, "mlserver") == Found{"config -> ServerConfig config"});
  CHECK(found(scope, "test") == Found{"one -> Pipeline one"});
  CHECK(found(scope, "gpus") == Found{"all -> ClusterQueue all"});
}

TEST_CASE("a reference leads to all objects of the name if several are equally near") {
  const std::string server =
      "apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nmetadata: {name: mlserver}\n";
  const auto workspace = workspace_of(
      {{"a.yaml",
        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Model\nmetadata: {name: m, namespace: x}\n"
        "spec: {server: mlserver}\n"},
       {"dev/b.yaml", server},
       {"prod/c.yaml", server}});
  CHECK(found(scope_of(*workspace), "m") ==
        Found{"mlserver -> Server mlserver", "mlserver -> Server mlserver"});
}

}  // namespace cnsched::references_test
