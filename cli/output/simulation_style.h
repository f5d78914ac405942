#pragma once

#include <string_view>

namespace cnsched::cli {

/// The style sheet of the page that shows a simulation.
extern const std::string_view kSimulationStyle;

}  // namespace cnsched::cli
