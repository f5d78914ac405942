#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched::cli {

/// The exit code of the process.
enum class Exit : int {
  clean = 0,
  findings = 1,
  usage = 2,    ///< invalid arguments or configuration
  failure = 3,  ///< input cannot be processed, or an internal error
};

/// The exit code of a command that has printed its results: whether any input or output is missing,
/// and whether there are findings.
inline Exit exit_of(bool is_incomplete, bool has_findings) {
  if (is_incomplete) return Exit::failure;
  return has_findings ? Exit::findings : Exit::clean;
}

/// The streams of a command and the properties of the terminal. Results go to `out`, messages to
/// `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t width = 80;
  std::istream* in = nullptr;  ///< answers to prompts; null if there is no input
  bool in_is_terminal = false;
  bool out_is_log = false;  ///< probably the log of a CI system

  /// Whether `out` is a terminal or a CI log. Manifests must not be able to send it control
  /// sequences or commands.
  bool out_is_displayed() const { return out_is_terminal || out_is_log; }

  /// Creates an object that lives as long as the console. The console of the process is never
  /// destroyed, which saves the time to free large trees.
  template <typename T>
  T& keep() {
    const auto made = std::make_shared<T>();
    kept.push_back(made);
    return *made;
  }
  std::vector<std::shared_ptr<void>> kept{};

  /// The streams of the process.
  static Console of_process();
};

/// Prints "error: " and the message on stderr, for each line of the message.
void say_error(Console& console, std::string_view message);
/// The same, for a command that ends with this exit code.
Exit fail(Console& console, std::string_view message, Exit exit = Exit::usage);

/// The values of --color.
enum class ColorChoice : unsigned char { automatic, always, never };

std::string environment_variable(const char* name);
/// Whether to use colors on a stream. Precedence: the flag, NO_COLOR, CLICOLOR_FORCE and
/// FORCE_COLOR, then whether it is a terminal with colors. `environment` returns the value of a
/// variable (empty: not set).
bool decide_color(ColorChoice choice, bool is_terminal,
                  std::string (*environment)(const char*) = environment_variable);

}  // namespace cnsched::cli
