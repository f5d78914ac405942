// The README shows only output that the program prints: a block behind `<!-- output: ARGUMENTS -->`
// is what `cnsched ARGUMENTS` writes to standard output, and so is the text, itself Markdown,
// between
// `<!-- generated: ARGUMENTS -->` and the next empty line.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/text.h"
#include "rules/engine/config.h"
#include "testdata/support.h"

namespace cnsched {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "<!-- output: ";
constexpr std::string_view kGeneratedMark = "<!-- generated: ";
constexpr std::string_view kConfigMark = "<!-- config -->";
constexpr std::string_view kFence = "```";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' ')) words.emplace_back(word);
  return words;
}

/// What the program prints, with the working directory at the project's root.
std::string output_of(std::string_view arguments) {
  const test::WorkingDirectory root(test::project_file("."));
  const std::string out = test::run_program(words_of(arguments)).out;
  return std::string(trim(out)) + "\n";
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

}  // namespace

TEST_CASE("the README shows what the program prints") {
  const std::string path = test::project_file("README.md");
  test::check_recorded(path, readme_as_it_should_be(test::read_all(path)));
}

TEST_CASE("the configuration in the README is one that the program reads") {
  const std::string readme = test::read_all(test::project_file("README.md"));
  const std::size_t mark = readme.find(kConfigMark);
  REQUIRE(mark != std::string::npos);
  const std::size_t begin = readme.find('\n', readme.find(kFence, mark)) + 1;
  const std::string text = readme.substr(begin, readme.find(kFence, begin) - begin);

  const std::string path = (fs::temp_directory_path() / "cnsched-readme-config.yaml").string();
  std::ofstream(path) << text;
  Sources sources;
  const auto configs = rules::Configs::only(path, sources);
  fs::remove(path);
  REQUIRE_MESSAGE(configs, (configs ? "" : configs.error().message));
  CHECK(configs->find("any.yaml")->cluster.node_pools.size() == 1);
}

}  // namespace cnsched
