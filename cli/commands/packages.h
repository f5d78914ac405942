#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/project.h"

namespace cnsched::cli {

/// Charts and overlays that engines render while other files are read.
struct RenderedPackages {
  std::vector<std::string> names{};  ///< of the files that will be rendered
  std::shared_ptr<OriginFinder> origins{};
  std::function<LateFiles()> files{};  ///< waits for the engines
};

/// Starts to render the charts and overlays among the found files, and leaves out their sources
/// there. The flags say whether and how; what they do not say, the section `render` of the
/// configuration given with -c does. Reports an invalid flag or configuration and returns the exit
/// code: a run that renders reads all configurations of the files first, so that an error in one is
/// reported before a program starts.
std::optional<Exit> start_rendering(const InputOptions& options, LoadedProject& project,
                                    RenderedPackages& rendered, Console& console);

}  // namespace cnsched::cli
