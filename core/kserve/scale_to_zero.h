#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/kserve/deployment_mode.h"

namespace cnsched::kserve {

/// Where a component of an InferenceService says that it is to have no pod while idle
/// (`minReplicas: 0`), if its mode can do that or is unknown; a missing node otherwise. HPA, which
/// Standard mode uses by itself, cannot, and the autoscaler class `none` never wakes it.
const yaml::Node& zero_of_component(const k8s::Object& object, const yaml::Node& component,
                                    DeploymentMode mode);
/// The same of an LLMInferenceService: KEDA's idleReplicaCount of 0 [K60]. Source: kserve
/// pkg/apis/serving/v1alpha2/llm_inference_service_types.go, ScalingSpec.
const yaml::Node& zero_of_llm(const k8s::Object& object);

/// The annotation by which a component on Knative is scaled by Knative's HPA class, which makes 1
/// of 0; a missing node if there is none [N15]. Source: knative/serving
/// pkg/reconciler/autoscaling/hpa/resources/hpa.go.
const yaml::Node& hpa_class_of(const k8s::Object& object, const yaml::Node& component);

/// The annotations that hold an idle pod of Knative for more than a quarter of an hour [N16].
/// Source: knative/serving pkg/reconciler/autoscaling/kpa/scaler.go.
std::vector<const yaml::Node*> long_holds_of(const k8s::Object& object,
                                             const yaml::Node& component);

/// The setting of a KnativeServing that switches scaling to zero off, or a missing node.
const yaml::Node& zero_switched_off_in(const k8s::Object& object);

/// The seconds of a duration as Go writes it: "90s", "1h30m". Nothing if it is none.
std::optional<std::int64_t> seconds_of_duration(std::string_view text);

}  // namespace cnsched::kserve
