#include "core/kserve/deployment_mode.h"

#include <algorithm>

#include "core/k8s/label.h"
#include "core/yaml/parse.h"

namespace cnsched::kserve {

// The newest spelling of a mode is the last.
const std::vector<ModeName>& mode_names() {
  static const std::vector<ModeName> kNames = {
      {"Serverless", DeploymentMode::knative, {0, 0, 0}},
      {"RawDeployment", DeploymentMode::standard, {0, 0, 0}},
      {"ModelMesh", DeploymentMode::model_mesh, {0, 0, 0}},
      {"Knative", DeploymentMode::knative, {0, 16, 0}},
      {"Standard", DeploymentMode::standard, {0, 16, 0}},
  };
  return kNames;
}

const ModeName* find_mode_name(std::string_view name) {
  const auto found = std::ranges::find(mode_names(), name, &ModeName::name);
  return found == mode_names().end() ? nullptr : &*found;
}

std::string_view name_of(DeploymentMode mode) {
  std::string_view newest = "unknown";
  for (const ModeName& name : mode_names()) {
    if (name.mode == mode) newest = name.name;
  }
  return newest;
}

/// A component's deploymentStrategy, which KServe's webhook rejects in Knative mode, or a missing
/// node.
static const yaml::Node& strategy_in(const k8s::Object& object) {
  for (const std::string_view component : {"predictor", "transformer", "explainer"}) {
    const yaml::Node& strategy = object.spec().under(component)["deploymentStrategy"];
    if (!strategy.is_empty()) return strategy;
  }
  return yaml::missing_node();
}

ModeOf deployment_mode_of(const k8s::Object& object, const DefaultMode& cluster_default,
                          const std::optional<Version>& version) {
  constexpr Version kReadsStatus{0, 16, 0};
  const yaml::Node& status = object["status"]["deploymentMode"];
  if (const ModeName* name = find_mode_name(status.text());
      name != nullptr && is_at_least(version, kReadsStatus)) {
    return {name->mode, &status};
  }
  const yaml::Node& annotation = object.annotations().under(kDeploymentModeAnnotation);
  if (const ModeName* name = find_mode_name(annotation.text());
      name != nullptr && is_at_least(version, name->since)) {
    return {name->mode, &annotation};
  }
  if (k8s::is_placeholder(annotation.text())) return {DeploymentMode::unknown, &annotation};
  const bool is_mode_unstated = !annotation && cluster_default.node == nullptr;
  const yaml::Node& strategy = strategy_in(object);
  if (is_mode_unstated && strategy) return {DeploymentMode::unknown, &strategy};
  return {cluster_default.mode, cluster_default.node};
}

std::optional<DefaultMode> default_mode_in(const k8s::Object& config_map) {
  const yaml::Node& deploy = config_map["data"]["deploy"];
  if (!deploy.is_scalar()) return std::nullopt;
  const yaml::Embedded json(deploy.text());
  const ModeName* name = find_mode_name(json.root()["defaultDeploymentMode"].text());
  if (name == nullptr) return std::nullopt;
  return DefaultMode{name->mode, &deploy};
}

}  // namespace cnsched::kserve
