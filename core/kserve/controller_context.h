#pragma once

#include <optional>
#include <set>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/version.h"
#include "core/k8s/controller_config.h"
#include "core/k8s/objects.h"
#include "core/kserve/deployment_mode.h"

namespace cnsched::kserve {

/// The inputs other than the object itself that determine which pods KServe creates from it.
struct ControllerContext {
  const k8s::ObjectIndex& objects;  ///< of the workspace: runtimes, configs, …
  std::optional<Version> version;   ///< of KServe, if known
  DefaultMode default_mode;
  const k8s::ControllerConfig& config;
  Arena& arena;                            ///< for new nodes
  std::optional<Version> open_data_hub{};  ///< the release, if known
  /// The namespaces of which all HardwareProfiles are known; null: of none.
  const std::set<std::string_view>* namespaces_with_profiles = nullptr;
};

}  // namespace cnsched::kserve
