#pragma once

#include "core/kserve/llm_roles.h"

namespace cnsched::kserve {

/// `pod`, the merged spec of that role, with what KServe adds: the claim of a managed device, the
/// service account, the model.
const yaml::Node& finished_llm_pod(const yaml::Node& pod, LlmRole role, const LlmService& service,
                                   const ControllerContext& context);

}  // namespace cnsched::kserve
