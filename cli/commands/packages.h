#pragma once

#include <optional>

#include "cli/commands/input.h"
#include "core/packages/engine.h"
#include "core/packages/variant.h"

namespace cnsched::cli {

/// What is rendered, and how.
struct RenderPlan {
  RenderSettings settings;
  RenderOptions options;
};

/// The flags; what they do not say, the section `render` of the configuration given with -c does.
/// Reports an invalid flag or configuration and returns the exit code. A run that renders reads all
/// configurations of `files` first, so that an error in one is reported before a program starts.
std::optional<Exit> plan_rendering(const InputOptions& options,
                                   const std::vector<std::string>& files, Opened& opened,
                                   RenderPlan& plan, Console& console);

}  // namespace cnsched::cli
