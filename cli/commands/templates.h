#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/options.h"
#include "rules/config/config.h"
#include "templates/library.h"
#include "templates/settings.h"

namespace cnsched::cli {

// What generate, templates and completion share.

/// --template-dir.
void declare_template_dirs(Command& command, std::vector<std::string>& directories);

/// The built-in templates, those of the directories, and those of the configuration. Reports a
/// mistake in one and returns nothing.
std::optional<templates::Library> open_library(std::vector<std::string> directories,
                                               const rules::Config* config, Console& console);

/// The template of that name. Reports an unknown name with the nearest one and returns null.
const templates::Template* find_template(const templates::Library& library, std::string_view name,
                                         Console& console);

/// Prompts on stderr for each parameter that is not set, with its choices and default, until the
/// answer is valid. `?` explains the parameter. An empty answer selects the default, or omits an
/// optional parameter. False if the input ends early.
bool ask_for_values(const templates::Template& model, templates::UserValues& values,
                    Console& console);

}  // namespace cnsched::cli
