#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/version.h"
#include "core/k8s/object.h"

namespace cnsched::kserve {

inline constexpr std::string_view kDeploymentModeAnnotation = "serving.kserve.io/deploymentMode";

/// How KServe runs an InferenceService or InferenceGraph. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/utils/utils.go, GetDeploymentMode.
enum class DeploymentMode : unsigned char {
  unknown,     ///< not set; Knative is KServe's shipped default
  knative,     ///< Serverless: a Knative Service
  standard,    ///< RawDeployment: a Deployment
  model_mesh,  ///< KServe creates no pod
};

/// One spelling of a mode and the first KServe release that honours it.
struct ModeName {
  std::string_view name;
  DeploymentMode mode;
  Version since;
};

/// Every spelling that some release honours.
const std::vector<ModeName>& mode_names();
/// The spelling, compared with case. Null if there is none.
const ModeName* find_mode_name(std::string_view name);
/// The newest spelling of a mode, or "unknown".
std::string_view name_of(DeploymentMode mode);

/// The cluster-wide default and the value that sets it.
struct DefaultMode {
  DeploymentMode mode = DeploymentMode::unknown;
  const yaml::Node* node = nullptr;

  friend bool operator==(const DefaultMode&, const DefaultMode&) = default;
};

/// The mode of one object, and the value that sets it, or null. If the mode is unknown, the value
/// is the one of the object that excludes KServe's shipped default, or one of several conflicting
/// defaults.
struct ModeOf {
  DeploymentMode mode = DeploymentMode::unknown;
  const yaml::Node* node = nullptr;
};

/// status.deploymentMode, else the annotation if `version` honours its value (any release, if the
/// version is unknown), else the cluster's default. Unknown if the annotation is a placeholder, or
/// if only a deploymentStrategy indicates the mode.
ModeOf deployment_mode_of(const k8s::Object& object, const DefaultMode& cluster_default,
                          const std::optional<Version>& version);

/// The `defaultDeploymentMode` within `inferenceservice-config`, or nothing if it is not set.
/// The key `deploy` is JSON in a string, so the span is that of the whole value.
std::optional<DefaultMode> default_mode_in(const k8s::Object& config_map);

}  // namespace cnsched::kserve
