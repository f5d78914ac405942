// The README shows only output that the program prints: a block behind `<!-- output: ARGUMENTS -->`
// is what `cnsched ARGUMENTS` writes, and so is the text, itself Markdown,
// between
// `<!-- generated: ARGUMENTS -->` and the next empty line.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "core/base/text.h"
#include "rules/engine/config.h"
#include "testdata/support.h"

namespace cnsched {

namespace {

constexpr std::string_view kMark = "<!-- output: ";
constexpr std::string_view kGeneratedMark = "<!-- generated: ";
constexpr std::string_view kConfigMark = "<!-- config -->";
constexpr std::string_view kClusterMark = "<!-- config: cluster -->";
constexpr std::string_view kTemplateMark = "<!-- template -->";
constexpr std::string_view kFence = "```";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' ')) words.emplace_back(word);
  return words;
}

/// What the program prints, on both streams as a terminal shows it, with the working directory at
/// the project's root.
std::string output_of(std::string_view arguments) {
  const test::WorkingDirectory root(test::project_file("."));
  const test::Ran ran = test::run_program(words_of(arguments));
  const bool both = !ran.out.empty() && !ran.err.empty();
  const std::string all = ran.out + (both && !ran.out.ends_with("\n\n") ? "\n" : "") + ran.err;
  return std::string(trim(all)) + "\n";
}

/// What stands in `line` between the mark that it begins with and the end of the comment.
std::string_view arguments_in(std::string_view line, std::string_view mark) {
  line.remove_prefix(mark.size());
  return line.substr(0, line.find(" -->"));
}

/// The README with every marked block replaced by what the program prints now.
std::string readme_as_it_should_be(const std::string& readme) {
  std::ostringstream result;
  std::istringstream lines(readme);
  std::string line;
  while (std::getline(lines, line)) {
    result << line << '\n';
    if (line.starts_with(kGeneratedMark)) {
      result << output_of(arguments_in(line, kGeneratedMark));
      while (std::getline(lines, line) && !line.empty()) continue;
      result << '\n';
    }
    if (!line.starts_with(kMark)) continue;
    const std::string arguments(arguments_in(line, kMark));
    std::getline(lines, line);  // the opening fence
    result << line << "\n$ cnsched " << arguments << '\n' << output_of(arguments);
    while (std::getline(lines, line) && line != kFence) continue;
    result << kFence << '\n';
  }
  return result.str();
}

/// The fenced text behind a mark.
std::string block_behind(std::string_view mark) {
  const std::string readme = test::read_all(test::project_file("README.md"));
  const std::size_t at = readme.find(mark);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = readme.find('\n', readme.find(kFence, at)) + 1;
  return readme.substr(begin, readme.find(kFence, begin) - begin);
}

}  // namespace

TEST_CASE("the README shows what the program prints") {
  const std::string path = test::project_file("README.md");
  test::check_recorded(path, readme_as_it_should_be(test::read_all(path)));
}

TEST_CASE("the template in the README is fine") {
  const test::TemporaryDirectory tree;
  const std::string path = tree.write("team.yaml", block_behind(kTemplateMark));
  const test::Ran ran = test::run_program({"templates", "--check", path, "--no-config"});
  CHECK(ran.exit == 0);
  CHECK(ran.err == "");
}

TEST_CASE("the manifest that the README lints is the one that it generates") {
  const test::WorkingDirectory root(test::project_file("."));
  const std::string recorded = test::read_all("testdata/generate/llama.yaml");
  const std::string command = recorded.substr(0, recorded.find('\n'));
  CHECK(test::read_all("README.md")
            .find("<!-- output: " + command.substr(command.find("generate ")) + " -->") !=
        std::string::npos);
  test::check_recorded("testdata/generate/llama.yaml",
                       test::run_program(words_of(command.substr(command.find("generate ")))).out);
}

TEST_CASE("the configurations in the README are such as the program reads") {
  CHECK(block_behind(kConfigMark) ==
        test::read_all(test::project_file("testdata/config/.cnsched.yaml")));
  const test::TemporaryDirectory tree;
  const std::string path = tree.write("c.yaml", block_behind(kClusterMark));
  Sources sources;
  const auto configs = rules::Configs::only(path, sources);
  REQUIRE_MESSAGE(configs, (configs ? "" : configs.error().message));
  CHECK(configs->find("any.yaml")->cluster.node_pools.size() == 1);
}

}  // namespace cnsched
