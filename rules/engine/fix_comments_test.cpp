// No fix loses a comment: checked on the examples of the rules, on testdata/ with a comment on
// every line that can have one, and on the corpus if it is there.
#include "core/base/text.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "rules/engine/example.h"
#include "rules/engine/fix.h"
#include "rules/page.h"
#include "testdata/support.h"

namespace cnsched::rules::fix_comments_test {

using Counts = std::map<std::string, std::size_t>;

/// The comments of a file, except those that are cnsched's: fixes of suppressions change them.
Counts comments_in(const std::string& text) {
  const SourceFile file(0, "in.yaml", text);
  Counts counts;
  for (const Span where : yaml::split(file)) {
    const yaml::Document document = yaml::parse(file, where);
    for (const yaml::Comment& comment : document.comments) {
      const std::string_view shown = file.text(comment.span);
      if (!has(shown, "cnsched:")) ++counts[std::string(shown)];
    }
  }
  return counts;
}

/// Lines with the numbers of those that get a comment at their end, and on a line before them.
std::string commented(const std::vector<std::string_view>& lines,
                      const std::vector<bool>& has_comment) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const std::size_t indent = line.find_first_not_of(" -");
    const bool gets = has_comment[i] && indent != std::string_view::npos && !has(line, '#') &&
                      !line.starts_with("---");
    if (gets) text += fmt::format("{:{}}# above {}.\n", "", line.find_first_not_of(' '), i);
    text += line;
    if (gets) text += fmt::format("  # behind {}.", i);
    if (i + 1 < lines.size()) text += '\n';
  }
  return text;
}

/// The text with a comment of its own at, and above, every line where a comment may be.
std::string with_comments(const std::string& text) {
  const std::vector<std::string_view> lines = split(text, '\n');
  std::vector<bool> has_comment(lines.size(), true);
  // A '#' in a text over several lines is no comment.
  const Counts read = comments_in(commented(lines, has_comment));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    has_comment[i] = read.contains(fmt::format("# above {}.", i)) &&
                     read.contains(fmt::format("# behind {}.", i));
  }
  return commented(lines, has_comment);
}

RunResult every_finding(const Workspace& workspace) {
  return run(workspace, Selection::everything());
}

/// Fixes all that can be fixed. Returns how many fixes were made; fails if a comment is lost.
std::size_t check_fixes(std::vector<MemoryFile> files) {
  std::map<std::string, Counts> before;
  for (const MemoryFile& file : files) before[file.path] = comments_in(file.bytes);
  Workspace workspace;
  workspace.load({.memory_files = std::move(files)});
  const FixResult fixed =
      fix_all(workspace, every_finding(workspace), Safety::unsafe, every_finding);
  std::size_t made = 0;
  for (const auto& [path, text] : fixed.texts) {
    CAPTURE(path);
    CAPTURE(text);
    const Counts after = comments_in(text);
    for (const auto& [comment, count] : before[path]) {
      CAPTURE(comment);
      const auto kept = after.find(comment);
      CHECK((kept != after.end() && kept->second >= count));
    }
    made += fixed.made.at(path);
  }
  return made;
}

/// Calls `check` with the path and the text of every YAML file below the directory.
template <typename Check>
void each_manifest(const std::string& directory, Check check) {
  for (const std::string& path : files_below(directory, kManifests)) check(path, read_all(path));
}

TEST_CASE("no fix of a rule's example loses a comment") {
  std::size_t made = 0;
  for (const Listed& listed : all_rules()) {
    INFO(listed.rule->id);
    std::vector<MemoryFile> files = example_files(page_of(*listed.rule).bad);
    for (MemoryFile& file : files) file.bytes = with_comments(file.bytes);
    made += check_fixes(std::move(files));
  }
  CHECK(made > 20);
}

TEST_CASE("no fix in testdata/ loses a comment, wherever comments are") {
  std::size_t made = 0;
  for (const std::string folder : {"testdata/rules", "testdata/fixes"}) {
    each_manifest(project_file(folder), [&](const std::string& path, const std::string& text) {
      INFO(path);
      made += check_fixes({{"in.yaml", text}});
      made += check_fixes({{"in.yaml", with_comments(text)}});
    });
  }
  CHECK(made > 500);
}

TEST_CASE("no fix in the corpus loses a comment") {
  const std::string corpus = project_file("../shared/corpus");
  if (!fs::is_directory(corpus)) return;
  std::size_t made = 0;
  each_manifest(corpus, [&](const std::string& path, const std::string& text) {
    INFO(path);
    made += check_fixes({{"in.yaml", text}});
  });
  CHECK(made > 50);
}

}  // namespace cnsched::rules::fix_comments_test
