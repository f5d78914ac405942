// Findings do not depend on the distribution of manifests over files or on their order.
#include "core/base/text.h"
#include "core/yaml/split.h"
#include "rules/config/config.h"
#include "rules/engine/run.h"
#include "rules/registry.h"
#include "testdata/support.h"

namespace cnsched::rules::spread_test {

/// The files of one case of a rule.
std::vector<MemoryFile> files_in(const fs::path& place) {
  std::vector<fs::path> paths;
  if (fs::is_directory(place)) {
    for (const auto& entry : fs::directory_iterator(place)) paths.push_back(entry.path());
  } else {
    paths.push_back(place);
  }
  std::ranges::sort(paths);
  std::vector<MemoryFile> files;
  for (const fs::path& path : paths) {
    if (path.filename() == kConfigName) continue;
    files.push_back({path.filename().string(), read_all(path.string())});
  }
  return files;
}

/// Every document in its own file, the last one first.
std::vector<MemoryFile> one_file_each(const std::vector<MemoryFile>& files) {
  std::vector<MemoryFile> result;
  for (const MemoryFile& file : files) {
    const SourceFile source(0, file.path, file.bytes);
    for (const Span where : yaml::split(source)) {
      result.push_back({fmt::format("{:04}.yaml", 9999 - result.size()),
                        std::string(source.text(where)), file.linted});
    }
  }
  std::ranges::reverse(result);
  return result;
}

std::string line_at(const Workspace& workspace, Span where) {
  const SourceFile& file = workspace.file_of(where);
  return std::string(trim(file.line(file.line_of(where.begin))));
}

/// The findings without places that depend on the files.
std::multiset<std::string> findings_in(const std::vector<MemoryFile>& files) {
  Workspace workspace;
  workspace.load({.memory_files = files});
  std::multiset<std::string> result;
  for (const Diagnostic& finding : run(workspace, Selection::everything()).findings) {
    // An ignore-file comment applies only to the documents of its own file.
    if (finding.rule.starts_with("ignore-")) continue;
    std::set<std::string> notes;
    for (const Note& note : finding.notes) {
      notes.insert("\n  " + note.message + " @ " + line_at(workspace, note.where));
    }
    std::string text = fmt::format("{} {}: {} @ {}", name_of(finding.severity), finding.rule,
                                   finding.message, line_at(workspace, finding.where));
    for (const std::string& note : notes) text += note;
    result.insert(std::move(text));
  }
  return result;
}

std::string listed(const std::multiset<std::string>& findings) {
  std::string text;
  for (const std::string& finding : findings) text += finding + "\n";
  return text;
}

TEST_CASE("findings do not depend on the order of files or the distribution of documents") {
  for (const Listed& listed_rule : all_rules()) {
    const fs::path data = project_file(fmt::format("testdata/rules/{}", listed_rule.rule->id));
    for (const std::string_view name : {"bad.yaml", "bad", "good.yaml", "good"}) {
      const fs::path place = data / name;
      // Splitting changes where invalid YAML ends.
      if (!fs::exists(place) || listed_rule.rule->id == "yaml-syntax") continue;
      CAPTURE(place.string());
      const std::vector<MemoryFile> files = files_in(place);
      CHECK(listed(findings_in(files)) == listed(findings_in(one_file_each(files))));
      std::vector<MemoryFile> reversed(files.rbegin(), files.rend());
      CHECK(listed(findings_in(files)) == listed(findings_in(reversed)));
    }
  }
}

}  // namespace cnsched::rules::spread_test
