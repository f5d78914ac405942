#include "core/kserve/pods.h"

#include "core/kserve/fields.h"
#include "core/kserve/replicas.h"
#include "core/kserve/runtime.h"

namespace cnsched::kserve {

namespace {

std::vector<k8s::PodTemplate> running_pods(const k8s::Object& object,
                                           const ControllerContext& context) {
  if (object.kind == "InferenceService") return inference_service_pods(object, context);
  if (object.kind == "InferenceGraph") return inference_graph_pods(object, context);
  if (object.kind == "LLMInferenceService") return llm_inference_service_pods(object, context);
  return {};
}

}  // namespace

std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object,
                                            const ControllerContext& context) {
  if (!is_kserve_group(object.group())) return {};
  if (object.kind == "ServingRuntime" || object.kind == "ClusterServingRuntime") {
    return runtime_fragments(object, context.arena);
  }
  if (object.kind == "LLMInferenceServiceConfig") return llm_inference_service_fragments(object);
  std::vector<k8s::PodTemplate> pods = running_pods(object, context);
  if (!is_stopped(object)) return pods;
  for (k8s::PodTemplate& pod : pods) {
    pod.never_created = k8s::NeverCreated{"its annotation serving.kserve.io/stop is true"};
    pod.replicas = 0;
  }
  return pods;
}

}  // namespace cnsched::kserve
