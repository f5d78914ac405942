#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reference.h"

namespace cnsched::cli {

/// A shell that completes, and the file that its packages look for.
struct Shell {
  std::string_view name;
  std::string_view file;
  std::string (*script)(const Command& program);
};

/// bash, zsh and fish.
std::span<const Shell> shells();

// What each shell's script is made of: the commands and their flags, the rules, the formats.
// Templates and their parameters, which differ from one directory to another, it asks the program.
std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);
std::string fish_completion(const Command& program);

/// A word that can be written, and what it is.
struct Word {
  std::string_view text;
  std::string_view meaning;
};

std::vector<Word> rule_words();
/// The groups of rules, and `all`.
std::vector<Word> group_words();

}  // namespace cnsched::cli
