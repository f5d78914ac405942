#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/input.h"
#include "templates/library.h"

namespace cnsched::cli {

struct TemplatesOptions {
  MessageOptions messages;
  FactOptions facts;
  std::string name;  ///< of a template; empty: list all
  std::vector<std::string> template_dirs;
  std::vector<std::string> check;  ///< files to check instead
  bool accelerators = false;       ///< list accelerators instead
  std::string format = "table";
};

void declare_templates(Command& command, TemplatesOptions& options);
Exit list_templates(const TemplatesOptions& options, Console& console);

/// --template-dir.
void declare_template_dirs(Command& command, std::vector<std::string>& directories);

/// The built-in templates, those of the directories, and those of the configuration. Reports a
/// mistake in one and returns nothing.
std::optional<templates::Library> open_library(std::vector<std::string> directories,
                                               const rules::Config* config, Console& console);

/// The template of that name. Reports an unknown name with the nearest one and returns null.
const templates::Template* find_template(const templates::Library& library, std::string_view name,
                                         Console& console);

}  // namespace cnsched::cli
