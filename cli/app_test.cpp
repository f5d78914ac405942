#include "cli/app.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cli/reference.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::cli {

namespace {

using test::Ran;
using test::run_program;

constexpr std::size_t kWidth = 80;

void check_fits(const std::string& text) {
  for (const std::string_view line : split(text, '\n')) {
    CAPTURE(std::string(line));
    CHECK(display_width(line) <= kWidth);
    CHECK_FALSE(line.ends_with(' '));
  }
}

}  // namespace

TEST_CASE("the help of every command fits 80 columns, on standard output") {
  const Ran help = run_program({"--help"});
  CHECK(help.exit == 0);
  CHECK(help.err.empty());
  check_fits(help.out);
  const Command program = reference();
  for (const Command* command : flat(program)) {
    const std::string& name = command->name;
    CAPTURE(name);
    for (const std::string flag : {"--help", "-h"}) {
      std::vector<std::string> arguments;
      for (const std::string_view word : split(name, ' ')) arguments.emplace_back(word);
      if (name.empty()) arguments.clear();
      arguments.push_back(flag);
      const Ran ran = run_program(arguments);
      CHECK(ran.exit == 0);
      CHECK(ran.err.empty());
      CHECK(ran.out.find("Usage: cnsched " + name) != std::string::npos);
      check_fits(ran.out);
    }
  }
}

TEST_CASE("the version is shown by flag and by command") {
  const Ran by_flag = run_program({"--version"});
  CHECK(by_flag.exit == 0);
  CHECK(by_flag.out.starts_with("cnsched "));
  CHECK(run_program({"version"}).out == by_flag.out);
}

TEST_CASE("without a command the help is told, as bad usage") {
  const Ran ran = run_program({});
  CHECK(ran.exit == 2);
  CHECK(ran.out.empty());
  CHECK(ran.err.find("Usage: cnsched COMMAND") != std::string::npos);
}

TEST_CASE("a misspelt command is bad usage, and what was meant is named") {
  const Ran ran = run_program({"lnit"});
  CHECK(ran.exit == 2);
  CHECK(ran.out.empty());
  CHECK(ran.err ==
        "error: no command is called 'lnit', did you mean 'lint'?\nTry 'cnsched --help'.\n");
  CHECK(run_program({"Lint"}).exit == 2);
}

TEST_CASE("a misspelt option is bad usage, and what was meant is named") {
  const Ran ran = run_program({"lint", "--exclud=x"});
  CHECK(ran.exit == 2);
  CHECK(ran.out.empty());
  CHECK(
      ran.err ==
      "error: unknown option '--exclud', did you mean '--exclude'?\nTry 'cnsched lint --help'.\n");
  CHECK(run_program({"lint", "--min-object", "1"}).err.find("'--min-objects'") !=
        std::string::npos);
  CHECK(run_program({"rules", "--fromat", "json"}).err.find("'--format'") != std::string::npos);
}

TEST_CASE("an option without its value, or with a wrong one, is bad usage") {
  for (const std::vector<std::string>& arguments : {
           std::vector<std::string>{"lint", "--format"},
           {"lint", "--format", "xml"},
           {"lint", "--color", "sometimes"},
           {"lint", "--fail-on", "fatal"},
           {"lint", "--min-objects", "many"},
           {"lint", "--min-objects", "-1"},
           {"lint", "--jobs", "-1"},
           {"lint", "--cluster"},
           {"lint", "--stdin-filename"},
           {"lint", "--quiet=maybe"},
           {"rules", "--format", "yaml"},
           {"rules", "extra"},
           {"explain"},
           {"version", "--format"},
       }) {
    CAPTURE(arguments.back());
    const Ran ran = run_program(arguments);
    CHECK(ran.exit == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.starts_with("error: "));
    CHECK(ran.err.find("--help'.\n") != std::string::npos);
  }
}

TEST_CASE("a wrong choice is told with the nearest, and with all that may be chosen") {
  CHECK(run_program({"lint", "--color", "alway"}).err ==
        "error: --color: there is no value 'alway', did you mean 'always'? (auto, always or "
        "never)\nTry 'cnsched lint --help'.\n");
  CHECK(run_program({"render", "--format=xml"}).err ==
        "error: --format: there is no value 'xml' (yaml or json)\nTry 'cnsched render --help'.\n");
}

TEST_CASE("hostile arguments cannot put control characters into an error") {
  for (const std::vector<std::string>& arguments : {
           std::vector<std::string>{"\x1b[31m\n"},
           {"lint", "--\x1b[31m\n"},
           {"lint", "--format", "\x1b[31m\n"},
           {"lint", "--color=\x1b[31m\n"},
           {"lint", "--select", "\x1b[31m\n"},
           {"explain", "\x1b[31m\n"},
           {"lint", "/no/\x1b[31m\n"},
           {"lint", "--config", "/no/\x1b[31m\n"},
           {"lint", "--severity", "\x1b[31m=error"},
       }) {
    const Ran ran = run_program(arguments);
    CAPTURE(printable(ran.err));
    CHECK(ran.exit >= 2);
    CHECK(ran.err.find('\x1b') == std::string::npos);
    CHECK(ran.err.find("[31m\n") == std::string::npos);
  }
}

TEST_CASE("a rule's page tells why, wrong, right and the source") {
  const Ran ran = run_program({"explain", "invalid-toleration", "--color", "never"});
  CHECK(ran.exit == 0);
  CHECK(ran.out.starts_with("invalid-toleration (error, group toleration)\n"));
  for (const std::string part : {"\nWrong\n", "\nRight\n", "\nHow it is reported\n",
                                 "error[invalid-toleration]", "\nSource: https://"}) {
    CAPTURE(part);
    CHECK(ran.out.find(part) != std::string::npos);
  }
}

TEST_CASE("a rule that does not exist is bad usage, and what was meant is named") {
  const Ran ran = run_program({"explain", "invalid-tolerations"});
  CHECK(ran.exit == 2);
  CHECK(ran.err ==
        "error: no rule is called 'invalid-tolerations', did you mean 'invalid-toleration'? "
        "('cnsched rules' lists them)\n");
}

TEST_CASE("the rules are listed as a table and as JSON") {
  const Ran table = run_program({"rules", "--color", "never"});
  CHECK(table.exit == 0);
  CHECK(table.out.find("invalid-toleration  ") != std::string::npos);
  const Ran json = run_program({"rules", "--format", "json"});
  CHECK(json.exit == 0);
  CHECK(json.out.starts_with("{\n  \"schemaVersion\": 1,"));
  CHECK(json.out.find("\"id\": \"invalid-toleration\"") != std::string::npos);
}

}  // namespace cnsched::cli
