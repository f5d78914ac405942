#include "cli/docs.h"
#include "cli/manual.h"
#include "cli/parse.h"
#include "cli/program.h"
#include "core/base/text.h"
#include "rules/registry.h"
#include "testdata/support.h"

namespace cnsched::cli::docs_test {

const std::string& text_of(const std::vector<DocFile>& files, std::string_view path) {
  return std::ranges::find(files, path, &DocFile::path)->text;
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

TEST_CASE("man/ and completions/ are up to date") {
  std::set<std::string> made;
  for (const DocFile& file : docs()) {
    CAPTURE(file.path);
    check_recorded(project_file(file.path), file.text);
    made.insert(file.path);
  }
  for (const std::string folder : {"man", "completions"}) {
    for (const auto& entry : fs::directory_iterator(project_file(folder))) {
      CAPTURE(entry.path().string());
      CHECK(made.contains(folder + "/" + entry.path().filename().string()));
    }
  }
}

TEST_CASE("completion prints the installed script") {
  const std::vector<DocFile> files = docs();
  CHECK(run_program({"completion", "bash"}).out == text_of(files, "completions/cnsched.bash"));
  CHECK(run_program({"completion", "zsh"}).out == text_of(files, "completions/_cnsched"));
  CHECK(run_program({"completion", "fish"}).out == text_of(files, "completions/cnsched.fish"));
}

TEST_CASE("every command has its page, with all its flags") {
  const std::vector<DocFile> files = docs();
  const Command program = cli::program();
  for (const Command* command : flat(program)) {
    CAPTURE(command->name);
    std::string page = command->name.empty() ? "cnsched" : "cnsched-" + command->name;
    std::ranges::replace(page, ' ', '-');
    const std::string& text = text_of(files, "man/" + page + ".1");
    for (const Argument& flag : command->flags) {
      CAPTURE(flag.name());
      std::string escaped;
      for (const char c : flag.name()) escaped += c == '-' ? "\\-" : std::string(1, c);
      CHECK(text.find("\\fB" + escaped + "\\fR") != std::string::npos);
    }
  }
}

TEST_CASE("every rule is on the page of rules") {
  const std::vector<DocFile> files = docs();
  const std::string& page = text_of(files, "man/cnsched-rules.7");
  for (const rules::Listed& listed : rules::all_rules()) {
    std::string escaped;
    for (const char c : listed.rule->id) escaped += c == '-' ? "\\-" : std::string(1, c);
    CHECK(page.find(".SS \"" + escaped + " (") != std::string::npos);
  }
}

TEST_CASE("the examples in manual and help are valid command lines") {
  for (const Manual& manual : manuals()) {
    for (const Example& example : manual.examples) {
      CAPTURE(std::string(example.command));
      std::vector<std::string> words = arguments_in(example.command);
      REQUIRE_FALSE(words.empty());
      Command program = cli::program();
      const Parsed parsed = parse(program, words);
      CHECK(parsed.outcome == Parsed::Outcome::run);
      CHECK((manual.command.empty() || parsed.command->name == manual.command));
    }
  }
}

TEST_CASE("every command has a manual with a summary and exit codes") {
  for (const Manual& manual : manuals()) {
    CAPTURE(std::string(manual.command));
    CHECK_FALSE(manual.summary.empty());
    CHECK_FALSE(manual.description.empty());
    CHECK_FALSE(manual.exits.empty());
  }
  CHECK(manuals().size() == flat(program()).size());
}

TEST_CASE("--format names prints one name per line") {
  CHECK(run_program({"rules", "--format", "names"}).out.starts_with("yaml-syntax\n"));
  const Ran list = run_program({"templates", "--format", "names", "--no-config"});
  CHECK(list.out.find("\nisvc-gpu\n") != std::string::npos);
  const Ran settings = run_program({"templates", "isvc-gpu", "--format", "names", "--no-config"});
  CHECK(settings.out.starts_with("name=\n"));
  CHECK(settings.out.find("\nplatform=gke\n") != std::string::npos);
  CHECK(settings.out.find("\naccelerator=nvidia-l4\n") != std::string::npos);
  CHECK(settings.out.find("-mig-") == std::string::npos);
}

}  // namespace cnsched::cli::docs_test
