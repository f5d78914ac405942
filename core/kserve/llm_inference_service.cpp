#include "core/kserve/pods.h"

#include <array>

#include "core/kserve/go_template.h"
#include "core/kserve/llm_pod_spec.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using k8s::PodTemplate;
using yaml::Node;

/// One of the six fields of a spec that contain a core pod spec.
struct Section {
  std::string_view component;
  LlmRole role;
  std::array<std::string_view, 4> path;
};

constexpr auto kSections = std::to_array<Section>({
    {"template", LlmRole::serving, {"template"}},
    {"worker", LlmRole::worker, {"worker"}},
    {"prefill", LlmRole::prefill, {"prefill", "template"}},
    {"prefill worker", LlmRole::prefill_worker, {"prefill", "worker"}},
    {"scheduler", LlmRole::scheduler, {"router", "scheduler", "template"}},
    {"tokenizer", LlmRole::tokenizer, {"router", "scheduler", "tokenizer", "template"}},
});

const Node& section_of(const Node& spec, const Section& section) {
  const Node* node = &spec;
  for (const std::string_view step : section.path) {
    if (!step.empty()) node = &(*node)[step];
  }
  return *node;
}

/// Whether KServe creates the pod from a preset that is not known.
bool comes_from_unknown_preset(const Section& section, const LlmService& service) {
  if (is_worker(section.role) || !service.spec.lacks_preset_of(part_of(section.role))) return false;
  return section.role != LlmRole::serving || service.merged["model"].is_mapping();
}

PodTemplate pod_of(const Section& section, const Node& merged, const LlmService& service,
                   const AdmittedService& admitted, const ControllerContext& context) {
  const Node& spec = admitted.written.spec();
  const Node& own = section_of(spec, section);
  PodTemplate pod = k8s::plain_pod(std::string(section.component),
                                   finished_llm_pod(merged, section.role, service, context),
                                   own.is_mapping() ? own : spec);
  pod.own = k8s::PodSpec(own);
  for (const k8s::Object* config : service.spec.configs) {
    const Node& base = section_of(config->spec(), section);
    if (base.is_mapping()) pod.bases.push_back({config, k8s::PodSpec(base)});
  }
  for (const MissingConfig& config : service.spec.missing) {
    if (config.part == LlmPart::any || config.part == part_of(section.role)) {
      pod.unknown.push_back(config.unknown);
    }
  }
  if (section.role == LlmRole::serving) add_profile(admitted, pod);
  set_llm_metadata(pod, section.role, service, context.arena);
  return pod;
}

/// By default, KServe does not use TLS between its own pods.
bool uses_tls(const ControllerContext& context) {
  return context.config.find("ingress/enableLLMInferenceServiceTLS", context.arena).text() ==
         "true";
}

}  // namespace

std::vector<PodTemplate> llm_inference_service_pods(const AdmittedService& admitted,
                                                    const ControllerContext& context) {
  const k8s::Object& object = admitted.object;
  if (!object.spec().is_mapping()) return {};
  LlmSpec spec = llm_spec(object, context);
  const Node& merged = filled(*spec.merged, {object, uses_tls(context)}, context.arena);
  const LlmService service{object, std::move(spec), merged};
  std::vector<PodTemplate> pods;
  for (const Section& section : kSections) {
    if (const Node& pod = section_of(merged, section); pod.is_mapping()) {
      pods.push_back(pod_of(section, pod, service, admitted, context));
    } else if (comes_from_unknown_preset(section, service)) {
      const Node& empty = yaml::mapping_like(context.arena, object.spec(), {});
      pods.push_back(pod_of(section, empty, service, admitted, context));
    }
  }
  return pods;
}

std::vector<PodTemplate> llm_inference_service_fragments(const k8s::Object& object) {
  std::vector<PodTemplate> pods;
  for (const Section& section : kSections) {
    const Node& spec = section_of(object.spec(), section);
    if (!spec.is_mapping()) continue;
    pods.push_back(k8s::pod_fragment(std::string(section.component), spec, spec));
  }
  return pods;
}

}  // namespace cnsched::kserve
