#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/kserve/deployment_mode.h"

namespace cnsched::kserve {

inline constexpr std::string_view kAutoscalerClass = "serving.kserve.io/autoscalerClass";

/// Whether the annotation serving.kserve.io/stop removes all pods of the object [K41]. Source:
/// kserve pkg/utils/utils.go, GetForceStopRuntime.
bool is_stopped(const k8s::Object& object);

/// The minimum number of pods with this `minReplicas`: HPA raises 0 to 1; Knative, KEDA and the
/// autoscaler class `none` do not. Nothing if it depends on an unknown mode.
std::optional<std::int64_t> least_replicas(const k8s::Object& object,
                                           const yaml::Node& min_replicas, DeploymentMode mode);

/// The minimum number of pods of a component of an InferenceService. KServe 0.20 subtracts the pods
/// of canaries from the stable predictor's; head only once the canaries are ready, and they count
/// as not ready [K57, K58]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/reconcilers/hpa/hpa_reconciler.go and
/// components/predictor.go, reconcileRawDeployment.
std::optional<std::int64_t> replicas_of(const k8s::Object& object, const yaml::Node& component,
                                        DeploymentMode mode, const std::optional<Version>& release);

/// The minimum for one item of `spec.canary`: its own number, else its share of the stable
/// predictor's [K58]. Source: the same, canaryReplicaCount.
std::optional<std::int64_t> canary_replicas(const k8s::Object& object, const yaml::Node& canary,
                                            DeploymentMode mode);

/// The `minReplicas: 0` with which a component of an InferenceService has no pod while idle, if its
/// mode supports that or is unknown; a missing node otherwise. HPA, the default of Standard mode,
/// does not, and the autoscaler class `none` never scales up again.
const yaml::Node& zero_min_replicas_of(const k8s::Object& object, const yaml::Node& component,
                                       DeploymentMode mode);
/// The same for an LLMInferenceService: KEDA's idleReplicaCount of 0 [K60]. Source: kserve
/// pkg/apis/serving/v1alpha2/llm_inference_service_types.go, ScalingSpec.
const yaml::Node& zero_idle_replicas_of(const k8s::Object& object);

/// The annotation that selects Knative's HPA class, which raises 0 to 1, for a component on
/// Knative; a missing node if there is none [N15]. Source: knative/serving
/// pkg/reconciler/autoscaling/hpa/resources/hpa.go.
const yaml::Node& hpa_class_of(const k8s::Object& object, const yaml::Node& component);

/// The annotations with which Knative keeps an idle pod for more than 15 minutes [N16]. Source:
/// knative/serving pkg/reconciler/autoscaling/kpa/scaler.go.
std::vector<const yaml::Node*> long_retentions_of(const k8s::Object& object,
                                                  const yaml::Node& component);

/// The setting of a KnativeServing that disables scaling to zero, or a missing node.
const yaml::Node& disabled_scale_to_zero_in(const k8s::Object& object);

/// The seconds of a Go duration: "90s", "1h30m". Nothing if it is not one.
std::optional<std::int64_t> seconds_of_duration(std::string_view text);

}  // namespace cnsched::kserve
