#pragma once

#include <cstdint>
#include <optional>

#include "core/k8s/object.h"
#include "core/kserve/deployment_mode.h"

namespace cnsched::kserve {

inline constexpr std::string_view kAutoscalerClass = "serving.kserve.io/autoscalerClass";

/// Whether the annotation serving.kserve.io/stop removes all pods of the object [K41]. Source:
/// kserve pkg/utils/utils.go, GetForceStopRuntime.
bool is_stopped(const k8s::Object& object);

/// An annotation of the component, else of the object: KServe merges the two [K59]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/components/predictor.go, utils.Union.
const yaml::Node& annotation_of(const k8s::Object& object, const yaml::Node& component,
                                std::string_view key);

/// The class of the autoscaler of a component: "hpa", "keda", …; empty for HPA.
std::string_view autoscaler_class_of(const k8s::Object& object, const yaml::Node& component);

/// The minimum number of pods with this `minReplicas`: HPA raises 0 to 1; Knative, KEDA and the
/// autoscaler class `none` do not. Nothing if it depends on an unknown mode.
std::optional<std::int64_t> least_replicas(const k8s::Object& object,
                                           const yaml::Node& min_replicas, DeploymentMode mode);

/// The minimum number of pods of a component of an InferenceService. KServe 0.20 subtracts the pods
/// of canaries from the stable predictor's, later ones only once the canaries are ready [K57, K58].
/// Without `release` they count as not ready. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/reconcilers/hpa/hpa_reconciler.go and
/// components/predictor.go, reconcileRawDeployment.
std::optional<std::int64_t> replicas_of(const k8s::Object& object, const yaml::Node& component,
                                        DeploymentMode mode, const std::optional<Version>& release);

/// The minimum for one item of `spec.canary`: its own number, else its share of the stable
/// predictor's [K58]. Source: the same, canaryReplicaCount.
std::optional<std::int64_t> canary_replicas(const k8s::Object& object, const yaml::Node& canary,
                                            DeploymentMode mode);

}  // namespace cnsched::kserve
