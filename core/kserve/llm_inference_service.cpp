#include "core/kserve/llm_inference_service.h"

namespace cnsched::kserve {

namespace {

/// Core pod specs stand at six places of the spec.
std::vector<k8s::PodTemplate> pods_in(const yaml::Node& spec) {
  std::vector<k8s::PodTemplate> pods;
  const auto add = [&](std::string component, const yaml::Node& pod) {
    if (pod.is_mapping()) pods.push_back(k8s::plain_pod(std::move(component), pod, pod));
  };
  const yaml::Node& scheduler = spec["router"]["scheduler"];
  add("template", spec["template"]);
  add("worker", spec["worker"]);
  add("prefill", spec["prefill"]["template"]);
  add("prefill worker", spec["prefill"]["worker"]);
  add("scheduler", scheduler["template"]);
  add("tokenizer", scheduler["tokenizer"]["template"]);
  return pods;
}

}  // namespace

std::vector<k8s::PodTemplate> llm_inference_service_pods(const k8s::Object& object,
                                                         const Surroundings& around) {
  (void)around;
  return pods_in(object.spec());
}

std::vector<k8s::PodTemplate> llm_inference_service_fragments(const k8s::Object& object) {
  std::vector<k8s::PodTemplate> pods = pods_in(object.spec());
  for (k8s::PodTemplate& pod : pods) pod.fragment = true;
  return pods;
}

}  // namespace cnsched::kserve
