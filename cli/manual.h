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

/// A command line, and what it does.
struct Example {
  std::string_view command;
  std::string_view what;
};

/// A part of a manual page, with its heading.
struct Section {
  std::string_view title;
  std::string_view text;  ///< as ManualPage::paragraphs takes it
};

/// What a user can read of a command beyond its flags, in help and manual page.
struct Manual {
  std::string_view command;      ///< as it is called: "lint", "generate pin"; "" is the program
  std::string_view summary;      ///< half a sentence, for lists
  std::string_view description;  ///< paragraphs that empty lines part; `words to be typed`
  std::vector<Example> examples;
  std::vector<ExitMeaning> exits;  ///< but for what every command has
  std::vector<Section> sections{};
};

/// The program's first, then the commands in the order of help.
std::span<const Manual> manuals();
const Manual& manual_of(std::string_view command);

/// What help says below the flags: examples and exit codes, in lines of at most `width` columns.
std::string help_footer(const Manual& manual, std::size_t width);

/// A variable of the environment, or a file, and what it does.
struct Outside {
  std::string_view name;
  std::string_view what;
};

std::span<const Outside> environment_variables();
std::span<const Outside> files_of_use();

}  // namespace cnsched::cli
