#pragma once

#include <vector>

#include "core/k8s/workloads.h"
#include "core/kserve/controller_context.h"
#include "core/kserve/hardware_profile.h"

namespace cnsched::kserve {

/// The effective pods that KServe creates from an InferenceService, InferenceGraph or
/// LLMInferenceService, and the fragments that a runtime or LLMInferenceServiceConfig contributes.
/// Nothing for other objects. Omits additions of KServe that the scheduler does not read: probes
/// and environment variables.
std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object,
                                            const ControllerContext& context);

// For each kind:

/// The pods of an InferenceService: predictor, worker, transformer, explainer, canaries; with the
/// runtime as base layer, defaults, and what KServe's webhook injects [K1]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/components/ and pkg/webhook/admission/pod/.
std::vector<k8s::PodTemplate> inference_service_pods(const AdmittedService& service,
                                                     const ControllerContext& context);

/// The predictor of a canary: its non-zero fields over those of the stable predictor, without
/// workers [K22]. `canary` is the predictor of an item of `spec.canary`.
const yaml::Node& canary_predictor(Arena& arena, const yaml::Node& stable,
                                   const yaml::Node& canary);

/// The router of an InferenceGraph: the pod fields at the top level of its spec, and one container
/// [K4, K23]. Source: kserve pkg/controller/v1alpha1/inferencegraph/{raw_ig,knative_reconciler}.go.
std::vector<k8s::PodTemplate> inference_graph_pods(const k8s::Object& object,
                                                   const ControllerContext& context);

/// The pods of an LLMInferenceService, with its `baseRefs` as base layers [K5, K64]. Source: kserve
/// pkg/controller/v1alpha2/llmisvc/.
std::vector<k8s::PodTemplate> llm_inference_service_pods(const AdmittedService& service,
                                                         const ControllerContext& context);
/// The pod specs that an LLMInferenceServiceConfig contributes, with the same component names.
std::vector<k8s::PodTemplate> llm_inference_service_fragments(const k8s::Object& object);

}  // namespace cnsched::kserve
