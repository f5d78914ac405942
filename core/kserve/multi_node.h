#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

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
