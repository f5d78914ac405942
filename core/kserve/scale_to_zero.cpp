#include "core/kserve/scale_to_zero.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/kserve/replicas.h"
#include "core/yaml/scalar.h"

namespace cnsched::kserve {

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
    const Node& setting = object.spec()["config"][map]["enable-scale-to-zero"];
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
