#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace cnsched::cli {

namespace {

/// Narrower or wider than this, text is no longer readable.
constexpr std::size_t kNarrowest = 60;
constexpr std::size_t kWidest = 120;

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
}

}  // namespace

Console Console::of_process() {
  const bool out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  return {.out = std::cout,
          .err = std::cerr,
          .out_is_terminal = out_is_terminal,
          .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
          .width = out_is_terminal ? terminal_width() : 80,
          .in = &std::cin,
          .in_is_terminal = ::isatty(STDIN_FILENO) == 1};
}

bool decide_color(ColorChoice choice, bool is_terminal, std::string (*environment)(const char*)) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  if (!environment("NO_COLOR").empty()) return false;
  for (const char* name : {"CLICOLOR_FORCE", "FORCE_COLOR"}) {
    const std::string value = environment(name);
    if (!value.empty() && value != "0") return true;
  }
  return is_terminal && environment("TERM") != "dumb";
}

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);  // no thread changes the environment  NOLINT
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace cnsched::cli
