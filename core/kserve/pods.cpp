#include "core/kserve/pods.h"

#include "core/kserve/fields.h"
#include "core/kserve/replicas.h"
#include "core/kserve/runtime.h"

namespace cnsched::kserve {

namespace {

std::vector<k8s::PodTemplate> running_pods(const AdmittedService& service,
                                           const ControllerContext& context) {
  const k8s::Object& object = service.written;
  if (object.kind == "InferenceService") return inference_service_pods(service, context);
  if (object.kind == "InferenceGraph") return inference_graph_pods(object, context);
  if (object.kind == "LLMInferenceService") return llm_inference_service_pods(service, context);
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
  const AdmittedService service = with_hardware_profile(object, context);
  std::vector<k8s::PodTemplate> pods = running_pods(service, context);
  for (k8s::PodTemplate& pod : pods) {
    if (service.rejection.empty()) continue;
    pod.never_created = k8s::NeverCreated{service.rejection, k8s::NeverCreated::By::object_webhook};
  }
  if (!is_stopped(object)) return pods;
  for (k8s::PodTemplate& pod : pods) {
    pod.never_created = k8s::NeverCreated{"its annotation serving.kserve.io/stop is true",
                                          k8s::NeverCreated::By::author};
    pod.replicas = 0;
  }
  return pods;
}

}  // namespace cnsched::kserve
