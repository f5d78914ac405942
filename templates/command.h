#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "templates/settings.h"

namespace cnsched::templates {

/// `text` as a shell word on one line: quoted where necessary, control characters escaped.
std::string shell_word(std::string_view text);

/// `command` and " --set name=llama" for each of the settings.
std::string with_settings(std::string command, const std::vector<Setting>& settings);

/// "cnsched generate isvc-gpu --set name=llama".
std::string command_for(const Template& model, const std::vector<Setting>& settings,
                        const std::vector<std::string>& template_dirs = {});

/// A complete command with an example for each required parameter.
std::string example_command(const Template& model);

}  // namespace cnsched::templates
