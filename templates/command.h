#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "templates/settings.h"

namespace cnsched::templates {

/// `text` as a word of a command line: quoted where a shell would read it otherwise, on one line,
/// and without anything that steers a terminal.
std::string shell_word(std::string_view text);

/// `command` and " --set name=llama" for each of the settings.
std::string with_settings(std::string command, const std::vector<Setting>& settings);

/// "cnsched generate isvc-gpu --set name=llama".
std::string command_for(const Template& model, const std::vector<Setting>& settings,
                        const std::vector<std::string>& template_dirs = {});

/// A command that is complete: an example for each parameter that is required.
std::string example_command(const Template& model);

}  // namespace cnsched::templates
