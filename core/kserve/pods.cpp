#include "core/kserve/pods.h"

#include "core/kserve/fields.h"
#include "core/kserve/inference_graph.h"
#include "core/kserve/inference_service.h"
#include "core/kserve/llm_inference_service.h"
#include "core/kserve/runtime.h"

namespace cnsched::kserve {

std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object, const Surroundings& around) {
  if (!is_kserve_group(object.group())) return {};
  if (object.kind == "InferenceService") return inference_service_pods(object, around);
  if (object.kind == "InferenceGraph") return inference_graph_pods(object, around);
  if (object.kind == "ServingRuntime" || object.kind == "ClusterServingRuntime") {
    return runtime_fragments(object, around.arena);
  }
  if (object.kind == "LLMInferenceService") return llm_inference_service_pods(object, around);
  if (object.kind == "LLMInferenceServiceConfig") return llm_inference_service_fragments(object);
  return {};
}

}  // namespace cnsched::kserve
