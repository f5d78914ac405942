#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
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

/// Resource names that KServe counts as GPUs by default; its configuration can add more.
inline constexpr auto kCountedGpus = std::to_array<std::string_view>(
    {"nvidia.com/gpu", "amd.com/gpu", "intel.com/gpu", "habana.ai/gaudi"});

/// The start of an error about the number of GPUs.
inline constexpr std::string_view kTooFewGpus = "the model needs";

/// The pod specs of a multi-node predictor and the number of workers.
struct MultiNode {
  const yaml::Node* head = nullptr;
  const yaml::Node* worker = nullptr;
  std::int64_t worker_replicas = 0;
  std::string error;  ///< why KServe creates neither; empty if it does
};

/// Sets the GPUs of head and workers as KServe does: divides the model's degree of parallelism
/// among the nodes. `gpu_types` is the annotation serving.kserve.io/gpu-resource-types of the pods,
/// a JSON array; may be missing [K44, K45, K46, K47, K48]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/components/predictor.go, computeRayNodeAndGPUs, and
/// reconcilers/deployment/deployment_reconciler.go, addGPUResourceToDeployment.
MultiNode distribute_gpus(const yaml::Node& head, const yaml::Node& worker,
                          const yaml::Node& worker_spec, const k8s::Object& runtime,
                          const yaml::Node& gpu_types, const ControllerContext& context);

}  // namespace cnsched::kserve
