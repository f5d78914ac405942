#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/base/version.h"
#include "core/workloads/workload.h"
#include "rules/engine/report.h"

namespace cnsched::rules {

/// Whether KServe acts on the object. Of KFServing's group it reads nothing, which is another
/// rule's business.
inline bool is_read_by_kserve(const k8s::Object& object) {
  return object.group() == "serving.kserve.io";
}

/// Whether the pod becomes one of a Knative Service, for sure or unless the cluster's default was
/// changed. What the object itself says of its mode, though it cannot be read, is not the default.
inline bool may_be_serverless(const Workload& workload, const Report& report) {
  if (workload.mode.mode == kserve::DeploymentMode::knative) return true;
  if (workload.mode.mode != kserve::DeploymentMode::unknown) return false;
  const yaml::Node* said = workload.mode.said;
  return said == nullptr || report.run().object_around(said->span) != workload.object;
}

/// Points at what says the deployment mode, if anything does. Of several defaults that differ none
/// is more right than the others.
inline void note_deployment_mode(const Workload& workload, Report::Finding& finding) {
  const yaml::Node* said = workload.mode.said;
  if (said == nullptr || workload.mode.mode == kserve::DeploymentMode::unknown) return;
  // The value may be a whole text in JSON, so the key is pointed at.
  const yaml::Node& place = said->key() != nullptr ? *said->key() : *said;
  const bool in_status = place.text() == "deploymentMode";
  finding.note(place, "{}",
               in_status ? "KServe has recorded the mode here" : "the mode is set here");
}

/// The annotation by which an object gets out of serverless mode, as a help writes it: 0.16 has
/// renamed the mode, and records it for good.
inline std::string raw_mode_setting(const k8s::Object& object,
                                    const std::optional<Version>& release) {
  constexpr Version kRenamed{0, 16, 0};
  const std::string_view written = object.annotations()[kserve::kDeploymentModeAnnotation].text();
  const kserve::ModeName* mode = kserve::find_mode_name(written);
  const bool is_new = release ? *release >= kRenamed : mode != nullptr && mode->since >= kRenamed;
  if (release && !is_new)
    return fmt::format("'{}: RawDeployment'", kserve::kDeploymentModeAnnotation);
  return fmt::format("'{}: {}' ({}delete a deployed object first)",
                     kserve::kDeploymentModeAnnotation, is_new ? "Standard" : "RawDeployment",
                     is_new ? "" : "Standard from KServe 0.16 on; ");
}

}  // namespace cnsched::rules
