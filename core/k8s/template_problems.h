#pragma once

#include <string>
#include <vector>

#include "core/k8s/pod_spec.h"
#include "core/yaml/node.h"

namespace cnsched::k8s {

/// Why the API server rejects the pod template that a controller makes of several objects.
struct TemplateProblem {
  const yaml::Node* where = nullptr;  ///< the value to change
  const yaml::Node* other = nullptr;  ///< what it repeats; or null
  std::string what;                   ///< "two containers are named 'server'"
  std::string help;
  bool only_in_pod = false;  ///< a webhook adds it to the pod: the template is valid
};

/// Two mounts at one path in one of the containers. The schema finds those of one list; controllers
/// add mounts without comparing paths.
std::vector<TemplateProblem> repeated_mounts(const PodSpec& pod);

/// What the API server rejects in the template of a Deployment or of another native object [P58]:
/// names of containers and volumes that are repeated or invalid, and volumes of two types. Missing
/// images only if `images_known`. Source: k8s.io/kubernetes pkg/apis/core/validation,
/// ValidatePodTemplateSpec. Other mistakes are visible in one object alone, where the checks of the
/// schema find them.
std::vector<TemplateProblem> template_problems(const PodSpec& pod, bool images_known);

}  // namespace cnsched::k8s
