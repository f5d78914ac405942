#pragma once

#include <cstdint>
#include <string>

#include "core/kserve/surroundings.h"

namespace cnsched::kserve {

/// The two kinds of pods of a predictor that spans nodes, and how many workers there are.
struct MultiNode {
  const yaml::Node* head = nullptr;
  const yaml::Node* worker = nullptr;
  std::int64_t worker_replicas = 0;
  std::string refused;  ///< why KServe creates neither; empty if it does
};

/// Counts out the GPUs of head and workers, and writes the counts into both, as KServe does: the
/// model's degree of parallelism is shared among the nodes. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/components/predictor.go, computeRayNodeAndGPUs, and
/// reconcilers/deployment/deployment_reconciler.go, addGPUResourceToDeployment.
MultiNode count_out_gpus(const yaml::Node& head, const yaml::Node& worker,
                         const yaml::Node& worker_spec, const k8s::Object& object,
                         const k8s::Object& runtime, const Surroundings& around);

}  // namespace cnsched::kserve
