#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/pod_template.h"
#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// The block that describes the model server as a container (`model`, `triton`, …), or a missing
/// node: a custom predictor lists containers instead.
const yaml::Node& framework_block(const yaml::Node& predictor);

/// The runtime that a predictor names in `model.runtime`; empty if KServe chooses one.
std::string_view runtime_name(const yaml::Node& predictor);

/// The runtime of a predictor with a model, if it is known.
struct RuntimeChoice {
  const k8s::Object* runtime = nullptr;
  std::vector<k8s::Unknown> unknown;  ///< why there is none, or why it may be a different one
  std::string error;                  ///< why KServe creates no pod with it; empty if it does
};

/// The ServingRuntime or ClusterServingRuntime that KServe uses for `predictor` of `object`: the
/// named one, or the first by namespace, then priority, that supports its format, version and
/// protocol [K24, K25, K26, K27]. Source: kserve pkg/apis/serving/v1beta1/predictor_model.go,
/// GetSupportingRuntimes.
RuntimeChoice choose_runtime(const k8s::Object& object, const yaml::Node& predictor,
                             const ControllerContext& context);

/// The pod specs of a (Cluster)ServingRuntime: its spec, and "worker".
std::vector<k8s::PodTemplate> runtime_fragments(const k8s::Object& object, Arena& arena);

}  // namespace cnsched::kserve
