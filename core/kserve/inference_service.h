#pragma once

#include <vector>

#include "core/k8s/pod_template.h"
#include "core/kserve/surroundings.h"

namespace cnsched::kserve {

/// The pods of an InferenceService: predictor, worker, transformer, explainer, canaries; the
/// runtime merged beneath, defaults filled in, and what KServe's webhook injects. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/components/ and pkg/webhook/admission/pod/.
std::vector<k8s::PodTemplate> inference_service_pods(const k8s::Object& object,
                                                     const Surroundings& around);

}  // namespace cnsched::kserve
