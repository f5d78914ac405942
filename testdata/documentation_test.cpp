// README.md and docs/ show only output that the program prints. A block after
// `<!-- output: ARGUMENTS -->` is the output of `cnsched ARGUMENTS`, and so is the Markdown between
// `<!-- generated: ARGUMENTS -->` and the next empty line.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "core/base/text.h"
#include "rules/engine/config.h"
#include "testdata/support.h"

namespace cnsched {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "<!-- output: ";
constexpr std::string_view kGeneratedMark = "<!-- generated: ";
constexpr std::string_view kFence = "```";

/// README.md and every page below docs/, by its path from the project's root.
std::vector<std::string> pages() {
  std::vector<std::string> pages = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"};
  const fs::path root = test::project_file(".");
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path().lexically_relative(root));
  }
  std::ranges::sort(pages);
  return pages;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' ')) words.emplace_back(word);
  return words;
}

/// What the program prints on both streams, as a terminal shows it, when it runs in the project's
/// root.
std::string output_of(std::string_view arguments) {
  const test::WorkingDirectory root(test::project_file("."));
  const test::Ran ran = test::run_program(words_of(arguments));
  const bool both = !ran.out.empty() && !ran.err.empty();
  const std::string all = ran.out + (both && !ran.out.ends_with("\n\n") ? "\n" : "") + ran.err;
  return std::string(trim(all)) + "\n";
}

/// The text between a mark at the start of `line` and the end of the comment.
std::string_view arguments_in(std::string_view line, std::string_view mark) {
  line.remove_prefix(mark.size());
  return line.substr(0, line.find(" -->"));
}

/// The page with each marked block replaced by what the program prints now.
std::string with_current_output(const std::string& page) {
  std::ostringstream result;
  std::istringstream lines(page);
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

/// The fenced text after a mark on a page.
std::string block_after(std::string_view mark, const std::string& page) {
  const std::string text = test::read_all(test::project_file(page));
  const std::size_t at = text.find(mark);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = text.find('\n', text.find(kFence, at)) + 1;
  return text.substr(begin, text.find(kFence, begin) - begin);
}

/// The page without its fenced blocks.
std::string prose_of(const std::string& page) {
  std::istringstream lines(test::read_all(test::project_file(page)));
  std::string prose;
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kFence)) fenced = !fenced;
    if (!fenced) prose += line + '\n';
  }
  return prose;
}

/// The targets of the page's links, without those to other sites and to headings.
std::vector<std::string> local_links(const std::string& page) {
  std::vector<std::string> links;
  const std::string text = prose_of(page);
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
    const std::string target = text.substr(at + 2, text.find_first_of(")#", at) - at - 2);
    if (!target.empty() && target.find("://") == std::string::npos) links.push_back(target);
  }
  return links;
}

/// The paths of the project that a page names in backquotes; a path may leave out .h and .cpp.
std::vector<std::string> named_paths(const std::string& page) {
  static constexpr std::array kFolders = {"cli/",      "core/",  "rules/", "templates/",
                                          "testdata/", "tools/", "docs/",  ".ci/"};
  const std::string prose = prose_of(page);
  std::vector<std::string> paths;
  for (const std::string_view word : split(prose, '`')) {
    const bool is_path =
        std::ranges::any_of(kFolders, [&](auto folder) { return word.starts_with(folder); }) &&
        word.find_first_of(" *{<$\n") == std::string_view::npos &&
        word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
    if (is_path) paths.emplace_back(word);
  }
  return paths;
}

}  // namespace

TEST_CASE("documentation shows what the program prints") {
  for (const std::string& page : pages()) {
    const std::string path = test::project_file(page);
    test::check_recorded(path, with_current_output(test::read_all(path)));
  }
}

TEST_CASE("documentation links to pages that exist") {
  std::size_t links = 0;
  for (const std::string& page : pages()) {
    const fs::path folder = fs::path(test::project_file(page)).parent_path();
    for (const std::string& link : local_links(page)) {
      CHECK_MESSAGE(fs::exists(folder / link), page << " links to " << link);
      ++links;
    }
  }
  CHECK(links > 10);
}

TEST_CASE("documentation names files that exist") {
  std::size_t paths = 0;
  for (const std::string& page : pages()) {
    for (const std::string& path : named_paths(page)) {
      const std::string file = test::project_file(path);
      CHECK_MESSAGE((fs::exists(file) || fs::exists(file + ".h") || fs::exists(file + ".cpp")),
                    page << " names " << path);
      ++paths;
    }
  }
  CHECK(paths > 30);
}

TEST_CASE("the template in docs/generate.md is valid") {
  const test::TemporaryDirectory tree;
  const std::string path =
      tree.write("team.yaml", block_after("<!-- template -->", "docs/generate.md"));
  const test::Ran ran = test::run_program({"templates", "--check", path, "--no-config"});
  CHECK(ran.exit == 0);
  CHECK(ran.err == "");
}

TEST_CASE("docs/generate.md lints the manifest that it generates") {
  const test::WorkingDirectory root(test::project_file("."));
  const std::string recorded = test::read_all("testdata/generate/llama.yaml");
  const std::string comment = recorded.substr(0, recorded.find('\n'));
  const std::string command = comment.substr(comment.find("generate "));
  CHECK(test::read_all("docs/generate.md").find("<!-- output: " + command + " -->") !=
        std::string::npos);
  test::check_recorded("testdata/generate/llama.yaml", test::run_program(words_of(command)).out);
}

TEST_CASE("the configurations in docs/configuration.md can be read") {
  CHECK(block_after("<!-- config -->", "docs/configuration.md") ==
        test::read_all(test::project_file("testdata/config/.cnsched.yaml")));
  const test::TemporaryDirectory tree;
  const std::string path =
      tree.write("c.yaml", block_after("<!-- config: cluster -->", "docs/configuration.md"));
  Sources sources;
  const auto configs = rules::Configs::only(path, sources);
  REQUIRE_MESSAGE(configs, (configs ? "" : configs.error().message));
  CHECK(configs->find("any.yaml")->cluster.node_pools.size() == 1);
}

}  // namespace cnsched
