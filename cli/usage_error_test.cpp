#include "cli/usage_error.h"

#include <doctest/doctest.h>

#include "testdata/support.h"

namespace cnsched::cli {

namespace {

using test::Ran;
using test::run_program;

struct Row {
  std::vector<std::string> arguments;
  std::string error;  ///< without "error: "
};

void check(const std::vector<Row>& rows) {
  for (const auto& [arguments, error] : rows) {
    CAPTURE(arguments);
    const Ran ran = run_program(arguments);
    CHECK(ran.exit == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.substr(0, ran.err.find('\n')) == "error: " + error);
    CHECK(ran.err.find("\nTry 'cnsched ") != std::string::npos);
  }
}

}  // namespace

TEST_CASE("a command that does not exist is told with the one that was meant") {
  check({
      {{"lnt"}, "no command is called 'lnt', did you mean 'lint'?"},
      {{"pin", "x.yaml"}, "no command is called 'pin', did you mean 'generate pin'?"},
      {{"generate", "pni", "x.yaml"},
       "'generate' takes one TEMPLATE: 'x.yaml' is one too many behind 'pni', did you mean 'pin'?"},
      {{"help", "lint"}, "no command is called 'help', did you mean '--help'?"},
      {{"validate"}, "no command is called 'validate', did you mean 'lint'?"},
      {{"xyzzy", "lint"}, "no command is called 'xyzzy'"},
      {{""}, "no command is called ''"},
  });
}

TEST_CASE("a file in the place of a command is told how to lint it") {
  check({
      {{"my svc.yaml"},
       "no command is called 'my svc.yaml': 'cnsched lint 'my svc.yaml'' lints it"},
      {{"-"}, "no command is called '-': 'cnsched lint -' lints it"},
  });
}

TEST_CASE("an option that is written with one dash is told with two") {
  check({
      {{"lint", "-format", "json"}, "unknown option '-format', did you mean '--format'?"},
      {{"lint", "-fomat=json"}, "unknown option '-fomat', did you mean '--format'?"},
      // These would be read as the short options -c, -v and -f.
      {{"lint", "-color", "never"}, "unknown option '-color', did you mean '--color'?"},
      {{"-version"}, "unknown option '-version', did you mean '--version'?"},
      {{"generate", "isvc-gpu", "-force"}, "unknown option '-force', did you mean '--force'?"},
  });
}

TEST_CASE("a value or a file may look like an option with one dash") {
  CHECK(run_program({"lint", "--config", "-color"})
            .err.starts_with("error: -color: no such file or directory\n"));
  CHECK(run_program({"lint", "--", "-color"}).exit == 3);
}

TEST_CASE("an option of another command is told with the commands that have it") {
  check({
      {{"render", "--fail-on", "error"},
       "unknown option '--fail-on': it belongs to 'lint', 'generate' and 'generate pin'"},
      {{"render", "--fix=true"}, "unknown option '--fix': it belongs to 'lint'"},
      {{"--baseline", "x"}, "unknown option '--baseline': it belongs to 'lint'"},
      {{"--color", "never", "lint"}, "'--color' stands before 'lint': write it behind"},
  });
}

TEST_CASE("an option that other tools have is told with ours") {
  check({
      {{"lint", "-o", "json"}, "unknown option '-o', did you mean '--format'?"},
      {{"lint", "--output=json"}, "unknown option '--output', did you mean '--format'?"},
      {{"lint", "--dry-run"}, "unknown option '--dry-run', did you mean '--diff'?"},
      {{"-V"}, "unknown option '-V', did you mean '--version'?"},
  });
}

TEST_CASE("too much and too little is told with what is wanted") {
  check({
      {{"explain"},
       "'explain' needs a RULE: the rule's id, as findings show it in brackets and 'cnsched rules' "
       "lists it"},
      {{"explain", "a", "b"}, "'explain' takes one RULE: 'b' is one too many behind 'a'"},
      {{"version", "x"}, "'version' takes no arguments: 'x' is one too many"},
      {{"rules", "invalid-toleration"},
       "'rules' lists them all: 'cnsched explain invalid-toleration' tells of one"},
      {{"lint", "--color"}, "'--color' needs a value: auto, always or never (default: auto)"},
      {{"lint", "--color", "never", "--color", "auto"},
       "'--color' is given more than once: keep one"},
      {{"lint", "--quiet=maybe"}, "'--quiet' takes no value: leave '=maybe' out"},
      {{"lint", "--jobs", "-1"}, "--jobs: '-1' is no whole number from 0 to 1024"},
      {{"lint", "--min-objects", "many"},
       "--min-objects: 'many' is no whole number from 0 to 1000000000"},
  });
}

TEST_CASE("options that need or exclude each other are both named") {
  check({
      {{"config", "--output", "x"}, "'--output' only goes with '--init': give that as well"},
      {{"config", "--schema", "--init"},
       "'--init' and '--schema' do not go together: give one of them"},
  });
}

}  // namespace cnsched::cli
