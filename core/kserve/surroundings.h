#pragma once

#include <optional>

#include "core/base/arena.h"
#include "core/base/version.h"
#include "core/k8s/objects.h"
#include "core/kserve/controller_config.h"
#include "core/kserve/deployment_mode.h"

namespace cnsched::kserve {

/// What decides, beside an object itself, which pods KServe makes from it.
struct Surroundings {
  const k8s::Objects& objects;     ///< of the run: runtimes, configs, …
  std::optional<Version> version;  ///< of KServe, if known
  DefaultMode default_mode;
  const ControllerConfig& config;
  Arena& arena;  ///< where new nodes are made
};

}  // namespace cnsched::kserve
