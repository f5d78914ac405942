#pragma once

#include "cli/console.h"
#include "templates/settings.h"

namespace cnsched::cli {

/// Prompts on stderr for each parameter that is not set, with its choices and default, until the
/// answer is valid. `?` explains the parameter. An empty answer selects the default, or omits an
/// optional parameter. False if the input ends early.
bool ask_for_values(const templates::Template& model, templates::UserValues& values,
                    Console& console);

}  // namespace cnsched::cli
