#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"

namespace cnsched::cli {

/// The hidden command that the shells' completion scripts run.
inline constexpr std::string_view kCompleteCommand = "__complete";

/// A word that can replace the current one.
struct Candidate {
  std::string word;
  std::string text{};  ///< what it is; may be empty
};

/// What can replace the current word.
struct Completion {
  enum class Paths : std::uint8_t { none, files, directories };
  std::vector<Candidate> candidates{};
  Paths paths = Paths::none;  ///< what the shell completes by itself, in addition
  std::string prefix{};       ///< of the current word, before the path
};

/// Completes `words[index]`; `words[0]` is the program. Reads only the manifests that the words
/// name and, for templates, the configuration and the template directories.
Completion complete(const Command& program, std::span<const std::string> words, std::size_t index);

/// `cnsched __complete INDEX WORD...`: the words of a command line, the program first, and the
/// index of the current one. Prints, for the shell:
///
///     :files PREFIX           complete file names after this part of the current word
///     :directories PREFIX     complete directories after it
///     WORD<tab>TEXT           a candidate for the whole current word, and what it is
///
/// After a candidate that ends with '=' the shell adds no blank. Lines contain no control
/// characters except the tab. Prints nothing for words that it cannot parse; the exit code is 0.
Exit print_completion(const Command& program, std::span<const std::string> arguments,
                      Console& console);

}  // namespace cnsched::cli
