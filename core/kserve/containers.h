#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/kserve/surroundings.h"

namespace cnsched::kserve {

/// Names that containers of an InferenceService's pods have to have.
inline constexpr std::string_view kServingContainer = "kserve-container";
inline constexpr std::string_view kTransformerContainer = "transformer-container";
inline constexpr std::string_view kWorkerContainer = "worker-container";

/// `model`, `triton` or `art` as the container that it becomes.
const yaml::Node& as_container(const yaml::Node& block, Arena& arena);

/// The containers of a pod, or why KServe creates none.
struct Containers {
  std::vector<const yaml::Node*> items;
  std::string refused;
};

/// The containers of a predictor with a model: the runtime's model server with `block` on top, the
/// transformer that sits beside it, then what else the runtime and the predictor list. Source:
/// kserve pkg/controller/v1beta1/inferenceservice/components/predictor.go, buildPodSpec.
Containers model_containers(const k8s::Object& runtime, const yaml::Node& predictor,
                            const yaml::Node& block, const k8s::Object& object, Arena& arena);

/// The one container of a worker: the runtime's, with the first that `worker` lists on top.
Containers worker_containers(const k8s::Object& runtime, const yaml::Node& worker,
                             const k8s::Object& object, Arena& arena);

/// The containers of a transformer, an explainer, or a predictor without a model. The first serves:
/// it is renamed, and CPU and memory that are not written are set by the controller's
/// configuration. Source: kserve pkg/apis/serving/v1beta1/{predictor,transformer}_custom.go.
Containers custom_containers(const yaml::Node& listed, std::string_view component,
                             const Surroundings& around);

}  // namespace cnsched::kserve
