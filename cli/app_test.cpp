#include "cli/app.h"
#include "core/base/text.h"
#include "rules/registry.h"
#include "testdata/support.h"

namespace cnsched::cli::app_test {

constexpr std::size_t kWidth = 80;

void check_fits(const std::string& text) {
  for (const std::string_view line : split(text, '\n')) {
    CAPTURE(std::string(line));
    CHECK(display_width(line) <= kWidth);
    CHECK_FALSE(line.ends_with(' '));
  }
}

/// As it is in manual pages.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '-' ? "\\-" : std::string(1, c);
  return result;
}

std::string manual_page(const std::string& name) { return project_text("man/" + name); }

/// The command lines in a help, which may be continued on the next line.
std::vector<std::string> examples_in(std::string_view help) {
  std::vector<std::string> examples;
  const std::size_t start = help.find("\nExamples:\n");
  if (start == std::string_view::npos) return examples;
  for (const std::string_view line : split(help.substr(start + 1), '\n')) {
    if (line.empty()) break;
    if (!examples.empty() && examples.back().ends_with("\\")) {
      examples.back().pop_back();
      examples.back() += trim(line);
    } else if (line.starts_with("  ") && line[2] != ' ') {
      examples.emplace_back(trim(line));
    }
  }
  return examples;
}

/// The arguments of cnsched in the example, without pipes and redirections.
std::vector<std::string> arguments_in(std::string_view command) {
  std::vector<std::string> words;
  bool is_argument = false;
  for (std::string_view word : split(command, ' ')) {
    if (word == "|" || word == ">") is_argument = false;
    if (is_argument) words.emplace_back(word.substr(0, word.find(')')));
    if (word.ends_with("cnsched")) is_argument = true;
  }
  return words;
}

TEST_CASE("the help of every command fits 80 columns and goes to standard output") {
  const Ran help = run_program({"--help"});
  CHECK(help.exit == 0);
  CHECK(help.err.empty());
  check_fits(help.out);
  const Command program = cli::program();
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
      CHECK(has(ran.out, "Usage: cnsched " + name));
      check_fits(ran.out);
    }
  }
}

TEST_CASE("the examples in the help are valid command lines") {
  std::size_t count = 0;
  const Command all = cli::program();
  for (const Command* command : flat(all)) {
    const std::string help = help_of(*command);
    for (const std::string& example : examples_in(help)) {
      CAPTURE(example);
      Command program = cli::program();
      const std::vector<std::string> words = arguments_in(example);
      REQUIRE_FALSE(words.empty());
      const Parsed parsed = parse(program, words);
      CHECK(parsed.outcome == Parsed::Outcome::run);
      CHECK((command->name.empty() || parsed.command->name == command->name));
      ++count;
    }
  }
  CHECK(count >= 50);
}

TEST_CASE("every command has a manual page with a summary, all its flags and exit codes") {
  const Command program = cli::program();
  for (const Command* command : flat(program)) {
    std::string name = command->full_name();
    CAPTURE(name);
    CHECK_FALSE(summary_of(*command).empty());
    std::ranges::replace(name, ' ', '-');
    const std::string page = manual_page(name + ".1");
    CHECK(has(page, "\n.SH \"EXIT STATUS\"\n.TP\n"));
    CHECK(has(page, "\n.SH \"DESCRIPTION\"\n"));
    CHECK_FALSE(has(page, "\n.SH \"DESCRIPTION\"\n.SH "));
    for (const Argument& flag : command->flags) {
      CAPTURE(flag.name());
      CHECK(has(page, "\\fB" + escaped(flag.name()) + "\\fR"));
    }
  }
}

TEST_CASE("every rule is on the manual page of rules") {
  const std::string page = manual_page("cnsched-rules.7");
  for (const rules::Listed& listed : rules::all_rules()) {
    CHECK(has(page, ".SS \"" + escaped(listed.rule->id) + " ("));
  }
}

TEST_CASE("completion prints the installed script") {
  for (const auto& [shell, file] : std::map<std::string, std::string>{
           {"bash", "cnsched.bash"}, {"zsh", "_cnsched"}, {"fish", "cnsched.fish"}}) {
    CHECK(run_program({"completion", shell}).out == project_text("completions/" + file));
  }
}

TEST_CASE("--format names prints one name per line") {
  CHECK(run_program({"rules", "--format", "names"}).out.starts_with("yaml-syntax\n"));
  const Ran list = run_program({"templates", "--format", "names", "--no-config"});
  CHECK(has(list.out, "\nisvc-gpu\n"));
  const Ran settings = run_program({"templates", "isvc-gpu", "--format", "names", "--no-config"});
  CHECK(settings.out.starts_with("name=\n"));
  CHECK(has(settings.out, "\nplatform=gke\n"));
  CHECK(has(settings.out, "\naccelerator=nvidia-l4\n"));
  CHECK_FALSE(has(settings.out, "-mig-"));
}

TEST_CASE("prints the version by flag and by command") {
  const Ran by_flag = run_program({"--version"});
  CHECK(by_flag.exit == 0);
  CHECK(by_flag.out.starts_with("cnsched "));
  CHECK(run_program({"version"}).out == by_flag.out);
}

TEST_CASE("prints the help as a usage error without a command") {
  const Ran ran = run_program({});
  CHECK(ran.exit == 2);
  CHECK(ran.out.empty());
  CHECK(has(ran.err, "Usage: cnsched COMMAND"));
}

TEST_CASE("rejects a misspelt command and suggests the nearest") {
  const Ran ran = run_program({"lnit"});
  CHECK(ran.exit == 2);
  CHECK(ran.out.empty());
  CHECK(ran.err == "error: unknown command 'lnit', did you mean 'lint'?\nTry 'cnsched --help'.\n");
  CHECK(run_program({"Lint"}).exit == 2);
}

TEST_CASE("rejects a misspelt option and suggests the nearest") {
  const Ran ran = run_program({"lint", "--exclud=x"});
  CHECK(ran.exit == 2);
  CHECK(ran.out.empty());
  CHECK(
      ran.err ==
      "error: unknown option '--exclud', did you mean '--exclude'?\nTry 'cnsched lint --help'.\n");
  CHECK(has(run_program({"lint", "--min-object", "1"}).err, "'--min-objects'"));
  CHECK(has(run_program({"rules", "--fromat", "json"}).err, "'--format'"));
}

TEST_CASE("rejects an option without a value or with an invalid one") {
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
    CHECK(has(ran.err, "--help'.\n"));
  }
}

TEST_CASE("rejects an invalid choice and lists the valid ones") {
  CHECK(run_program({"lint", "--color", "alway"}).err ==
        "error: --color: invalid value 'alway', did you mean 'always'? (auto, always or "
        "never)\nTry 'cnsched lint --help'.\n");
  CHECK(run_program({"render", "--format=xml"}).err ==
        "error: --format: invalid value 'xml' (yaml or json)\nTry 'cnsched render --help'.\n");
}

TEST_CASE("errors do not contain control characters of the arguments") {
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
    CHECK_FALSE(has(ran.err, '\x1b'));
    CHECK_FALSE(has(ran.err, "[31m\n"));
  }
}

TEST_CASE("a rule's page has the same headings in the same order for every rule") {
  for (const rules::Listed& listed : rules::all_rules()) {
    const std::string id(listed.rule->id);
    CAPTURE(id);
    const Ran ran = run_program({"explain", id, "--color", "never"});
    CHECK(ran.exit == 0);
    CHECK(ran.out.starts_with(id + " ("));
    std::size_t place = 0;
    for (const std::string part : {"\n\nWhat it reports\n", "\n\nWhy it matters\n", "\n\nLimits\n",
                                   "\n\nWrong\n", "\n\nRight\n", "\n\nHow it is reported\n",
                                   "\n\nFix\n", "\n\nRelated rules\n", "\n\nSource\nhttps://"}) {
      CAPTURE(part);
      const std::size_t found = ran.out.find(part, place);
      REQUIRE(found != std::string::npos);
      place = found;
    }
    CHECK(has(ran.out, "[" + id + "]"));
  }
}

TEST_CASE("rejects an unknown rule and suggests the nearest") {
  const Ran ran = run_program({"explain", "invalid-tolerations"});
  CHECK(ran.exit == 2);
  CHECK(ran.err ==
        "error: unknown rule 'invalid-tolerations', did you mean 'invalid-toleration'? "
        "('cnsched rules' lists the rules)\n");
}

TEST_CASE("lists the rules as a table and as JSON") {
  const Ran table = run_program({"rules", "--color", "never"});
  CHECK(table.exit == 0);
  CHECK(has(table.out, "invalid-toleration  "));
  const Ran json = run_program({"rules", "--format", "json"});
  CHECK(json.exit == 0);
  CHECK(json.out.starts_with("{\n  \"schemaVersion\": 1,"));
  CHECK(has(json.out, "\"id\": \"invalid-toleration\""));
}

TEST_CASE("help prints the help of the program or of a command") {
  CHECK(run_program({"help"}).out == run_program({"--help"}).out);
  CHECK(run_program({"help", "lint"}).out == run_program({"lint", "--help"}).out);
  const Ran pin = run_program({"help", "generate", "pin"});
  CHECK(pin.exit == 0);
  CHECK(pin.out == run_program({"generate", "pin", "--help"}).out);
  CHECK(run_program({"help", "pin"}).out == pin.out);
  const Ran unknown = run_program({"help", "lnit"});
  CHECK(unknown.exit == 2);
  CHECK(unknown.out.empty());
  CHECK(unknown.err ==
        "error: unknown command 'lnit', did you mean 'lint'?\nTry 'cnsched help'.\n");
}

}  // namespace cnsched::cli::app_test
