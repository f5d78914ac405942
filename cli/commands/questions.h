#pragma once

#include "cli/console.h"
#include "templates/settings.h"

namespace cnsched::cli {

/// Asks for each parameter that is not said yet, on stderr, until its answer can be used. An empty
/// answer takes the default, or leaves out what is optional. False if the answers end early.
bool ask_for_values(const templates::Template& model, templates::UserValues& said,
                    Console& console);

}  // namespace cnsched::cli
