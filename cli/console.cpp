#include "cli/console.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

/// Narrower or wider text is not readable.
constexpr std::size_t kNarrowest = 60;
constexpr std::size_t kWidest = 120;

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
}

/// Whether the stream is a pipe in a CI step, which is probably the log. A regular file is not a
/// log: programs read it.
bool is_log_of_ci(int descriptor) {
  struct stat status {};
  const bool is_stream = ::fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode);
  return is_stream &&
         std::ranges::any_of(std::array{"CI", "TF_BUILD", "TEAMCITY_VERSION"},
                             [](const char* name) { return !environment_variable(name).empty(); });
}

/// Opens a standard stream that the parent process has closed, so that the next file that is opened
/// does not take its number and receive its output. Using the stream fails.
void reserve_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    // open() returns the lowest free number, which is this one.
    [[maybe_unused]] const int taken =
        ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

Console Console::of_process() {
  reserve_closed_streams();
  const bool out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  return {.out = std::cout,
          .err = std::cerr,
          .out_is_terminal = out_is_terminal,
          .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
          .width = out_is_terminal ? terminal_width() : 80,
          .in = &std::cin,
          .in_is_terminal = ::isatty(STDIN_FILENO) == 1,
          .out_is_log = is_log_of_ci(STDOUT_FILENO)};
}

void say_error(Console& console, std::string_view message) {
  for (const std::string_view line : split(message, '\n')) {
    console.err << "error: " << printable(line) << '\n';
  }
}

Exit fail(Console& console, std::string_view message, Exit exit) {
  say_error(console, message);
  return exit;
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
