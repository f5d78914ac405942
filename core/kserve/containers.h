#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// Names that containers of an InferenceService's pods must have.
inline constexpr std::string_view kServingContainer = "kserve-container";
inline constexpr std::string_view kTransformerContainer = "transformer-container";
inline constexpr std::string_view kWorkerContainer = "worker-container";

/// The container that KServe creates from `model` or `triton`.
const yaml::Node& as_container(const yaml::Node& block, Arena& arena);
/// The container that KServe creates from `art`, with the image of the controller's configuration
/// [K20]. Source: kserve pkg/apis/serving/v1beta1/explainer_art.go.
const yaml::Node& explainer_container(const yaml::Node& block, const ControllerContext& context);

/// The containers of a pod, or why KServe creates none.
struct Containers {
  std::vector<const yaml::Node*> items;
  std::string error;
};

/// The containers of a predictor with a model: `block` merged over the runtime's model server, the
/// transformer, then all others that the runtime and the predictor list [K16]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/components/predictor.go, buildPodSpec.
Containers model_containers(const k8s::Object& runtime, const yaml::Node& predictor,
                            const yaml::Node& block, const k8s::Object& object,
                            const ControllerContext& context);

/// The only container of a worker: the first that `worker` lists, merged over the runtime's.
Containers worker_containers(const k8s::Object& runtime, const yaml::Node& worker, Arena& arena);

/// The containers of a transformer, an explainer, or a predictor without a model. The first is the
/// server: KServe renames it, and sets CPU and memory that it does not specify from the
/// controller's configuration [K18, K19, K31]. Source: kserve
/// pkg/apis/serving/v1beta1/{predictor,transformer}_custom.go.
Containers custom_containers(const yaml::Node& listed, std::string_view component,
                             const ControllerContext& context);

/// The literal value of an environment variable, or a missing node.
const yaml::Node& environment(const yaml::Node& container, std::string_view name);

/// `container` with that variable replaced or appended; a new value has the span of `cause`.
const yaml::Node& with_environment(const yaml::Node& container, std::string_view name,
                                   std::string_view value, const yaml::Node& cause, Arena& arena);

}  // namespace cnsched::kserve
