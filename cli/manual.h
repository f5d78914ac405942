#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"

namespace cnsched::cli {

/// When a command ends with an exit code.
struct ExitMeaning {
  Exit exit;
  std::string_view when;
};

/// A command line and its effect.
struct Example {
  std::string_view command;
  std::string_view what;
};

/// A part of a manual page, with its heading.
struct Section {
  std::string_view title;
  std::string_view text;  ///< in the syntax of ManualPage::paragraphs
};

/// The text about a command in help and manual page, except its flags.
struct Manual {
  std::string_view command;      ///< "lint", "generate pin"; "" is the program
  std::string_view summary;      ///< a phrase, for lists
  std::string_view description;  ///< paragraphs separated by empty lines; `literal words`
  std::vector<Example> examples;
  std::vector<ExitMeaning> exits;  ///< without those of every command
  std::vector<Section> sections{};
};

/// That of the program first, then those of the commands in the order of help.
std::span<const Manual> manuals();
const Manual& manual_of(std::string_view command);

/// The end of the help: examples and exit codes, in lines of at most `width` columns.
std::string help_footer(const Manual& manual, std::size_t width);

/// An environment variable or a file, and its effect.
struct ExternalInput {
  std::string_view name;
  std::string_view what;
};

std::span<const ExternalInput> environment_variables();
std::span<const ExternalInput> files_of_use();

}  // namespace cnsched::cli
