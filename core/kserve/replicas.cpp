#include "core/kserve/replicas.h"

#include <algorithm>
#include <array>

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
  // KServe does not set the number: a Deployment has one pod at first.
  if (scaler == "external" && mode == DeploymentMode::standard) return 1;
  if (least > 0 || (!scaler.empty() && scaler != "hpa")) return least;
  if (mode == DeploymentMode::unknown) return std::nullopt;
  return mode == DeploymentMode::standard ? 1 : 0;
}

/// An annotation of the component, else of the object: KServe merges the two [K59]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/components/predictor.go, utils.Union.
const Node& annotation_of(const k8s::Object& object, const Node& component, std::string_view key) {
  const Node& own = component["annotations"].under(key);
  return own ? own : object.annotations().under(key);
}

/// The class of the autoscaler of a component: "hpa", "keda", …; empty for HPA.
std::string_view autoscaler_class_of(const k8s::Object& object, const Node& component) {
  return annotation_of(object, component, kAutoscalerClass).text();
}

}  // namespace

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
  std::int64_t least = number_of(component["minReplicas"], 1);
  const Node& canaries = object.spec()["canary"];
  if (&component == &object.spec()["predictor"] && component["minReplicas"] &&
      !canaries.items().empty() && mode == DeploymentMode::standard &&
      !is_at_least(release, kHeadRelease)) {
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

namespace {

using yaml::Node;

bool is_zero(const Node& number) { return yaml::integer_of(number) == 0; }

bool is_false(const Node& setting) { return yaml::boolean_of(setting.text()) == false; }

std::optional<std::int64_t> seconds_in(std::string_view unit) {
  if (unit == "h") return 3600;
  if (unit == "m") return 60;
  if (unit == "s") return 1;
  if (unit == "ms" || unit == "us" || unit == "ns") return 0;
  return std::nullopt;
}

}  // namespace

const Node& zero_min_replicas_of(const k8s::Object& object, const Node& component,
                                 DeploymentMode mode) {
  const Node& least = component["minReplicas"];
  if (!is_zero(least) || mode == DeploymentMode::model_mesh) return yaml::missing_node();
  const std::string_view scaler = autoscaler_class_of(object, component);
  const bool scales_from_zero = scaler == "keda" || scaler == "external";
  return mode == DeploymentMode::standard && !scales_from_zero ? yaml::missing_node() : least;
}

const Node& zero_idle_replicas_of(const k8s::Object& object) {
  const Node& scaling = object.spec()["scaling"];
  for (const Node* scaler : {&scaling["keda"], &scaling["wva"]["keda"]}) {
    const Node& idle = (*scaler)["idleReplicaCount"];
    if (is_zero(idle)) return idle;
  }
  return yaml::missing_node();
}

const Node& hpa_class_of(const k8s::Object& object, const Node& component) {
  const Node& scaler = annotation_of(object, component, "autoscaling.knative.dev/class");
  return scaler.text() == "hpa.autoscaling.knative.dev" ? scaler : yaml::missing_node();
}

std::vector<const Node*> long_retentions_of(const k8s::Object& object, const Node& component) {
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"autoscaling.knative.dev/scale-to-zero-pod-retention-period",
       "autoscaling.knative.dev/window", "autoscaling.knative.dev/scale-down-delay"});
  constexpr std::int64_t kLong = 15 * 60;
  std::vector<const Node*> found;
  for (const std::string_view key : kKeys) {
    const Node& value = annotation_of(object, component, key);
    if (seconds_of_duration(value.text()).value_or(0) > kLong) found.push_back(&value);
  }
  return found;
}

const Node& disabled_scale_to_zero_in(const k8s::Object& object) {
  if (!object.is("operator.knative.dev", "KnativeServing")) return yaml::missing_node();
  for (const std::string_view map : {"config-autoscaler", "autoscaler"}) {
    const Node& setting = object.spec()["config"].under(map)["enable-scale-to-zero"];
    if (setting) return is_false(setting) ? setting : yaml::missing_node();
  }
  return yaml::missing_node();
}

std::optional<std::int64_t> seconds_of_duration(std::string_view text) {
  constexpr std::int64_t kMaxSeconds = 1'000'000'000;
  std::int64_t total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const auto number = take_number<std::int64_t>(text);
    if (!number || *number < 0 || *number > kMaxSeconds) return std::nullopt;
    const std::size_t length = std::min(text.find_first_of("0123456789"), text.size());
    const auto unit = seconds_in(text.substr(0, length));
    if (!unit) return std::nullopt;
    total += *number * *unit;
    if (total > kMaxSeconds) return std::nullopt;
    text.remove_prefix(length);
  }
  return total;
}

}  // namespace cnsched::kserve
