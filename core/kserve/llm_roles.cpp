#include "core/kserve/llm_roles.h"

namespace cnsched::kserve {

LlmPart part_of(LlmRole role) {
  switch (role) {
    case LlmRole::serving:
    case LlmRole::worker:
      return LlmPart::decode;
    case LlmRole::prefill:
    case LlmRole::prefill_worker:
      return LlmPart::prefill;
    case LlmRole::scheduler:
      return LlmPart::scheduler;
    case LlmRole::tokenizer:
      return LlmPart::tokenizer;
  }
  return LlmPart::any;
}

bool is_workload(LlmRole role) {
  return part_of(role) == LlmPart::decode || part_of(role) == LlmPart::prefill;
}

bool is_worker(LlmRole role) { return role == LlmRole::worker || role == LlmRole::prefill_worker; }

const yaml::Node& settings_of(LlmRole role, const LlmService& service) {
  const yaml::Node& scheduler = service.merged["router"]["scheduler"];
  switch (part_of(role)) {
    case LlmPart::prefill:
      return service.merged["prefill"];
    case LlmPart::scheduler:
      return scheduler;
    case LlmPart::tokenizer:
      return scheduler["tokenizer"];
    case LlmPart::any:
    case LlmPart::decode:
      break;
  }
  return service.merged;
}

bool is_in_group(LlmRole role, const LlmService& service) {
  return is_workload(role) && settings_of(role, service)["worker"].is_mapping();
}

bool has_leader(LlmRole role, const LlmService& service) {
  return settings_of(role, service)["template"].is_mapping() ||
         service.spec.lacks_preset_of(part_of(role));
}

}  // namespace cnsched::kserve
