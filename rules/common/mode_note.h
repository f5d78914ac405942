#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/base/version.h"
#include "core/workspace/workload.h"
#include "rules/findings.h"

namespace cnsched::rules {

/// Start of a message about a pod whose deployment mode is not known.
inline constexpr std::string_view kInDefaultMode =
    "in serverless (Knative) mode, KServe's default, ";

/// Adds a note at the setting of the deployment mode, if there is one. If several defaults differ,
/// none of them is noted.
inline void note_deployment_mode(const Workload& workload, Findings::Finding& finding) {
  const yaml::Node* said = workload.mode.node;
  if (said == nullptr || workload.mode.mode == kserve::DeploymentMode::unknown) return;
  // The value may be a long text in JSON, so the note points at the key.
  const yaml::Node& place = said->key() != nullptr ? *said->key() : *said;
  const bool in_status = place.text() == "deploymentMode";
  finding.note(
      place, "{}",
      in_status ? "KServe recorded the deployment mode here" : "the deployment mode is set here");
}

/// The annotation that sets raw mode, for a help text. KServe 0.16 renamed the mode, and records it
/// permanently.
inline std::string raw_mode_setting(const k8s::Object& object,
                                    const std::optional<Version>& release) {
  constexpr Version kRenamed{0, 16, 0};
  const std::string_view written =
      object.annotations().under(kserve::kDeploymentModeAnnotation).text();
  const kserve::ModeName* mode = kserve::find_mode_name(written);
  const bool is_new = release ? *release >= kRenamed : mode != nullptr && mode->since >= kRenamed;
  if (release && !is_new)
    return fmt::format("'{}: RawDeployment'", kserve::kDeploymentModeAnnotation);
  return fmt::format("'{}: {}'{}; if the object is deployed, delete it first",
                     kserve::kDeploymentModeAnnotation, is_new ? "Standard" : "RawDeployment",
                     is_new ? "" : " (Standard from KServe 0.16 on)");
}

}  // namespace cnsched::rules
