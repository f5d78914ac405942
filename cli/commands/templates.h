#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/input.h"
#include "templates/library.h"

namespace cnsched::cli {

struct TemplatesOptions {
  TalkOptions talk;
  FactOptions facts;
  std::string name;  ///< of one template; empty: list them
  std::vector<std::string> template_dirs;
  std::vector<std::string> check;  ///< files to be checked instead
  bool accelerators = false;       ///< list these instead
  std::string format = "table";
};

void declare_templates(CLI::App& command, TemplatesOptions& options);
Exit list_templates(const TemplatesOptions& options, Console& console);

/// --template-dir.
void declare_template_dirs(CLI::App& command, std::vector<std::string>& directories);

/// The built-in templates, those of the directories, and those that the configuration names.
/// Reports what is wrong with one and returns nothing.
std::optional<templates::Library> open_library(std::vector<std::string> directories,
                                               const rules::Config* config, Console& console);

/// The template of that name; reports that there is none, with the nearest, and returns null.
const templates::Template* find_template(const templates::Library& library, std::string_view name,
                                         Console& console);

}  // namespace cnsched::cli
