#include "cli/console.h"
#include "testdata/support.h"

namespace cnsched::cli::console_test {

/// The environment of the next decision.
std::map<std::string, std::string>& variables() {
  static std::map<std::string, std::string> all;
  return all;
}

std::string lookup(const char* name) {
  const auto found = variables().find(name);
  return found == variables().end() ? "" : found->second;
}

bool colored(ColorChoice choice, bool is_terminal, std::map<std::string, std::string> environment) {
  variables() = std::move(environment);
  return decide_color(choice, is_terminal, lookup);
}

constexpr auto kAutomatic = ColorChoice::automatic;

TEST_CASE("--color overrides the environment and the stream") {
  CHECK(colored(ColorChoice::always, false, {{"NO_COLOR", "1"}, {"TERM", "dumb"}}));
  CHECK_FALSE(colored(ColorChoice::never, true, {{"FORCE_COLOR", "1"}}));
}

TEST_CASE("by default, terminals have colors and files do not") {
  CHECK(colored(kAutomatic, true, {}));
  CHECK_FALSE(colored(kAutomatic, false, {}));
  CHECK(colored(kAutomatic, true, {{"TERM", "xterm-256color"}}));
}

TEST_CASE("NO_COLOR disables colors if it is not empty") {
  CHECK_FALSE(colored(kAutomatic, true, {{"NO_COLOR", "1"}}));
  CHECK_FALSE(colored(kAutomatic, true, {{"NO_COLOR", "0"}}));
  CHECK(colored(kAutomatic, true, {{"NO_COLOR", ""}}));
  CHECK_FALSE(colored(kAutomatic, true, {{"NO_COLOR", "1"}, {"FORCE_COLOR", "1"}}));
}

TEST_CASE("CLICOLOR_FORCE and FORCE_COLOR enable colors in files, unless they are 0 or empty") {
  for (const std::string name : {"CLICOLOR_FORCE", "FORCE_COLOR"}) {
    CAPTURE(name);
    CHECK(colored(kAutomatic, false, {{name, "1"}}));
    CHECK(colored(kAutomatic, false, {{name, "true"}}));
    CHECK(colored(kAutomatic, false, {{name, "1"}, {"TERM", "dumb"}}));
    CHECK_FALSE(colored(kAutomatic, false, {{name, "0"}}));
    CHECK_FALSE(colored(kAutomatic, false, {{name, ""}}));
    CHECK(colored(kAutomatic, true, {{name, "0"}}));
  }
}

TEST_CASE("a dumb terminal has no colors") {
  CHECK_FALSE(colored(kAutomatic, true, {{"TERM", "dumb"}}));
}

}  // namespace cnsched::cli::console_test
