#include "core/kserve/replicas.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

/// Above any real cluster, and small enough that sums cannot overflow.
constexpr std::int64_t kMaxReplicas = 1'000'000;

std::int64_t number_of(const Node& written, std::int64_t unset) {
  return std::clamp<std::int64_t>(yaml::integer_of(written).value_or(unset), 0, kMaxReplicas);
}

std::int64_t requested_by_canary(const k8s::Object& object, const Node& canary) {
  if (const Node& own = canary["predictor"]["minReplicas"]) return number_of(own, 0);
  const std::int64_t stable = number_of(object.spec()["predictor"]["minReplicas"], 1);
  const std::int64_t percent = number_of(canary["trafficPercent"], 0);
  return (stable * percent + 99) / 100;
}

std::optional<std::int64_t> scaled(std::string_view scaler, std::int64_t least,
                                   DeploymentMode mode) {
  // KServe leaves the number to somebody else: a Deployment has one pod at first.
  if (scaler == "external" && mode == DeploymentMode::standard) return 1;
  if (least > 0 || (!scaler.empty() && scaler != "hpa")) return least;
  if (mode == DeploymentMode::unknown) return std::nullopt;
  return mode == DeploymentMode::standard ? 1 : 0;
}

}  // namespace

const Node& annotation_of(const k8s::Object& object, const Node& component, std::string_view key) {
  const Node& own = component["annotations"][key];
  return own ? own : object.annotations()[key];
}

std::string_view autoscaler_class_of(const k8s::Object& object, const Node& component) {
  return annotation_of(object, component, kAutoscalerClass).text();
}

bool is_stopped(const k8s::Object& object) {
  return equals_ignoring_case(object.annotations()["serving.kserve.io/stop"].text(), "true");
}

std::optional<std::int64_t> least_replicas(const k8s::Object& object, const Node& min_replicas,
                                           DeploymentMode mode) {
  return scaled(autoscaler_class_of(object, yaml::missing_node()), number_of(min_replicas, 1),
                mode);
}

std::optional<std::int64_t> replicas_of(const k8s::Object& object, const Node& component,
                                        DeploymentMode mode,
                                        const std::optional<Version>& release) {
  constexpr Version kWaitsForCanaries{0, 21, 0};
  std::int64_t least = number_of(component["minReplicas"], 1);
  const Node& canaries = object.spec()["canary"];
  if (&component == &object.spec()["predictor"] && component["minReplicas"] &&
      !canaries.items().empty() && mode == DeploymentMode::standard && release &&
      *release < kWaitsForCanaries) {
    for (const Node* canary : canaries.items()) least -= requested_by_canary(object, *canary);
    least = std::max<std::int64_t>(least, 1);
  }
  return scaled(autoscaler_class_of(object, component), least, mode);
}

std::optional<std::int64_t> canary_replicas(const k8s::Object& object, const Node& canary,
                                            DeploymentMode mode) {
  return scaled(autoscaler_class_of(object, canary["predictor"]),
                requested_by_canary(object, canary), mode);
}

}  // namespace cnsched::kserve
