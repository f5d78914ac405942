#include "testdata/support.h"

namespace cnsched::cli::usage_error_test {

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
    CHECK(has(ran.err, "\nTry 'cnsched "));
  }
}

TEST_CASE("an unknown command is rejected with the nearest one") {
  check({
      {{"lnt"}, "unknown command 'lnt', did you mean 'lint'?"},
      {{"pin", "x.yaml"}, "unknown command 'pin', did you mean 'generate pin'?"},
      {{"generate", "pni", "x.yaml"},
       "'generate' takes one TEMPLATE: remove 'x.yaml' after 'pni', did you mean 'pin'?"},
      {{"validate"}, "unknown command 'validate', did you mean 'lint'?"},
      {{"xyzzy", "lint"}, "unknown command 'xyzzy'"},
      {{""}, "unknown command ''"},
  });
}

TEST_CASE("a file instead of a command is rejected with the command that lints it") {
  check({
      {{"my svc.yaml"},
       "unknown command 'my svc.yaml': to lint a file, run 'cnsched lint 'my svc.yaml''"},
      {{"-"}, "unknown command '-': to lint a file, run 'cnsched lint -'"},
  });
}

TEST_CASE("a long option with one dash is rejected with the right spelling") {
  check({
      {{"lint", "-format", "json"}, "unknown option '-format', did you mean '--format'?"},
      {{"lint", "-fomat=json"}, "unknown option '-fomat', did you mean '--format'?"},
      // These would be parsed as the short options -c, -v and -f.
      {{"lint", "-color", "never"}, "unknown option '-color', did you mean '--color'?"},
      {{"-version"}, "unknown option '-version', did you mean '--version'?"},
      {{"generate", "isvc-gpu", "-force"}, "unknown option '-force', did you mean '--force'?"},
  });
}

TEST_CASE("accepts a value or a file that looks like an option with one dash") {
  CHECK(run_program({"lint", "--config", "-color"})
            .err.starts_with("error: -color: no such file or directory\n"));
  CHECK(run_program({"lint", "--", "-color"}).exit == 3);
}

TEST_CASE("an option of another command is rejected with the commands that have it") {
  check({
      {{"render", "--fail-on", "error"},
       "unknown option '--fail-on': it is an option of 'lint', 'diff', 'generate' and 'generate "
       "pin'"},
      {{"render", "--fix=true"}, "unknown option '--fix': it is an option of 'lint'"},
      {{"--baseline", "x"}, "unknown option '--baseline': it is an option of 'lint' and 'lsp'"},
      {{"--color", "never", "lint"}, "'--color' must follow 'lint'"},
  });
}

TEST_CASE("an option of other tools is rejected with the equivalent one") {
  check({
      {{"lint", "-o", "json"}, "unknown option '-o', did you mean '--format'?"},
      {{"lint", "--output=json"}, "unknown option '--output', did you mean '--format'?"},
      {{"lint", "--dry-run"}, "unknown option '--dry-run', did you mean '--diff'?"},
      {{"-V"}, "unknown option '-V', did you mean '--version'?"},
  });
}

TEST_CASE("missing and superfluous arguments are rejected with what is expected") {
  check({
      {{"explain"},
       "'explain' requires a RULE: id of the rule, as shown in brackets in findings and listed by "
       "'cnsched rules'"},
      {{"explain", "a", "b"}, "'explain' takes one RULE: remove 'b' after 'a'"},
      {{"version", "x"}, "'version' takes no arguments: remove 'x'"},
      {{"policy", "run"},
       "unknown command 'policy run': there is 'policy test' and 'policy check'"},
      {{"rules", "invalid-toleration"},
       "'rules' takes no arguments: run 'cnsched explain invalid-toleration'"},
      {{"lint", "--color"}, "'--color' requires a value: auto, always or never (default: auto)"},
      {{"lint", "--color", "never", "--color", "auto"},
       "'--color' is given more than once: keep one"},
      {{"lint", "--quiet=maybe"}, "'--quiet' takes no value: remove '=maybe'"},
      {{"lint", "--jobs", "-1"}, "--jobs: '-1' is not a whole number from 0 to 1024"},
      {{"lint", "--min-objects", "many"},
       "--min-objects: 'many' is not a whole number from 0 to 1000000000"},
  });
}

TEST_CASE("options that require or exclude each other are both named") {
  check({
      {{"config", "--output", "x"}, "'--output' requires '--init'"},
      {{"config", "--schema", "--init"},
       "'--init' and '--schema' exclude each other: give one of them"},
  });
}

}  // namespace cnsched::cli::usage_error_test
