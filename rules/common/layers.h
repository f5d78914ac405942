#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/workspace/workload.h"

namespace cnsched::rules {

/// One of the pod specs that KServe merges into a pod.
struct Layer {
  k8s::PodSpec pod;
  std::string name;                  ///< in messages: "ServingRuntime 'vllm'"
  bool is_stable_predictor = false;  ///< base layer of a canary of the same object
};

/// The layers of the pod, the weakest first; the last is the object's own.
inline std::vector<Layer> layers_of(const Workload& workload) {
  std::vector<Layer> layers;
  for (const k8s::Base& base : workload.bases) {
    const bool stable = base.object == workload.object;
    layers.push_back({base.pod,
                      stable ? "the stable predictor"
                             : fmt::format("{} '{}'", base.object->kind, base.object->name),
                      stable});
  }
  layers.push_back(
      {workload.own, fmt::format("{} '{}'", workload.object->kind, workload.object->name), false});
  return layers;
}

}  // namespace cnsched::rules
