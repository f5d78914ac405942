// Runs `diff` over a repository of git: a commit of testdata/diff/base/, and one on top of it for
// each entry of testdata/diff/commits.txt, which describes the format of these.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/source/trusted_program.h"
#include "testdata/git_repository.h"

namespace cnsched::testdata_diff_test {

using Json = nlohmann::json;

/// One entry of the file.
struct ChangedCommit {
  std::string name;
  std::vector<std::string> edits{};
  int exit = 0;
  std::string printed{};
};

constexpr const char* kCommits = "testdata/diff/commits.txt";

std::string after_word(std::string_view line) {
  return std::string(line.substr(line.find(' ') + 1));
}

/// The entries, and in `head` the lines above them.
std::vector<ChangedCommit> read_commits(std::string& head) {
  std::vector<ChangedCommit> commits;
  const std::string text = project_text(kCommits);
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("commit ")) {
      commits.push_back({.name = after_word(line)});
    } else if (commits.empty()) {
      head += std::string(line) + '\n';
    } else if (line.starts_with("expect ")) {
      commits.back().exit = std::stoi(after_word(line));
    } else if (line.starts_with("  ")) {
      commits.back().printed += std::string(line.substr(2)) + '\n';
    } else if (!line.empty()) {
      commits.back().edits.emplace_back(line);
    } else if (!commits.back().printed.empty()) {
      commits.back().printed += '\n';
    }
  }
  for (ChangedCommit& commit : commits) commit.printed = std::string(trim(commit.printed)) + '\n';
  return commits;
}

std::string text_of(const ChangedCommit& commit) {
  std::string text = fmt::format("commit {}\n", commit.name);
  for (const std::string& edit : commit.edits) text += edit + '\n';
  text += fmt::format("expect {}\n", commit.exit);
  for (const std::string_view line : split(trim(commit.printed), '\n')) {
    text += line.empty() ? "\n" : fmt::format("  {}\n", line);
  }
  return text;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_break = text.substr(i, 2) == "\\n";
    result += is_break ? '\n' : text[i];
    if (is_break) ++i;
  }
  return result;
}

/// "FILE: OLD => NEW"
void replace_in(const GitRepository& repository, const std::string& words) {
  const std::size_t colon = words.find(": ");
  const std::size_t arrow = words.find(" => ");
  const std::string file = words.substr(0, colon);
  const std::string old = unescaped(words.substr(colon + 2, arrow - colon - 2));
  std::string text = read_all(repository.path(file));
  const std::size_t at = text.find(old);
  if (at == std::string::npos || text.find(old, at + 1) != std::string::npos) {
    throw std::runtime_error(fmt::format("not once in {}: {}", file, old));
  }
  text.replace(at, old.size(), unescaped(words.substr(arrow + 4)));
  repository.write(file, text);
}

void apply_edit(const GitRepository& repository, const std::string& line) {
  const std::string verb = line.substr(0, line.find(' '));
  const std::string words = after_word(line);
  if (verb == "edit") return replace_in(repository, words);
  if (verb == "delete") {
    fs::remove(repository.path(words));
    return;
  }
  const std::string from = words.substr(0, words.find(' '));
  repository.write(after_word(words), read_all(repository.path(from)));
  if (verb == "move") fs::remove(repository.path(from));
}

/// The repository, with a branch for each commit.
class ChangedRepository {
 public:
  explicit ChangedRepository(const std::string& git) : repository_(git) {
    const std::string base = project_file("testdata/diff/base");
    fs::copy(base, repository_.root(), fs::copy_options::recursive);
    repository_.commit("base");
    commits_ = read_commits(head_);
    for (const ChangedCommit& commit : commits_) {
      CAPTURE(commit.name);
      repository_.run({"checkout", "-q", "-b", commit.name, "main"});
      for (const std::string& edit : commit.edits) apply_edit(repository_, edit);
      repository_.commit(commit.name);
    }
    repository_.run({"checkout", "-q", "main"});
  }

  const GitRepository& repository() const { return repository_; }
  const std::vector<ChangedCommit>& commits() const { return commits_; }
  const std::string& head() const { return head_; }

  /// The files of a branch in a directory of that name.
  void write_files(const std::string& branch, const std::string& directory) const {
    const auto written = extract(repository_.git(), branch, {}, directory);
    if (!written) throw std::runtime_error(written.error().message);
  }

 private:
  GitRepository repository_;
  std::string head_;
  std::vector<ChangedCommit> commits_;
};

constexpr const char* kNone = "no change in placement\n";

Ran run_diff(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "diff");
  return run_program(arguments);
}

/// The difference of two directories, with paths below them.
Json json_of(const std::string& old, const std::string& now) {
  std::string text = run_diff({old, now, "--format", "json"}).out;
  for (const std::string& side : {old, now}) {
    const std::string shown = fmt::format("\"{}/", side);
    for (std::size_t at = 0; (at = text.find(shown, at)) != std::string::npos;) {
      text.erase(at + 1, shown.size() - 1);
    }
  }
  return Json::parse(text);
}

/// What the difference is in the other direction, except for what is worse.
Json mirrored(Json json) {
  const auto swap = [](Json& holder) { std::swap(holder["before"], holder["after"]); };
  for (Json& pod : json["pods"]) {
    if (pod["change"] == "added") {
      pod["change"] = "removed";
    } else if (pod["change"] == "removed") {
      pod["change"] = "added";
    }
    swap(pod);
    for (const char* list : {"changes", "causes"}) {
      for (Json& change : pod[list]) swap(change);
    }
  }
  swap(json["totals"]);
  std::swap(json["newFindings"], json["resolvedFindings"]);
  return json;
}

/// Without what is not the same in both directions.
Json without_direction(Json json) {
  for (Json& pod : json["pods"]) {
    pod.erase("lostLastNode");
    pod.erase("lostReplicas");
  }
  json.erase("failures");
  json.erase("summary");
  return json;
}

TEST_CASE("diff: prints of each commit what was expected by hand") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const ChangedRepository changed(git);
  const WorkingDirectory here(changed.repository().root());
  std::string text = changed.head();
  for (const ChangedCommit& commit : changed.commits()) {
    CAPTURE(commit.name);
    const Ran ran = run_diff({"--base", "main", "--head", commit.name});
    CAPTURE(ran.err);
    CHECK(ran.exit == commit.exit);
    CHECK(ran.out == commit.printed);
    ChangedCommit seen = commit;
    seen.exit = ran.exit;
    seen.printed = ran.out;
    text += text_of(seen) + '\n';
  }
  text.pop_back();
  check_recorded(project_file(kCommits), text);
}

TEST_CASE("diff: a commit, its working tree and its directory differ from the base equally") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const ChangedRepository changed(git);
  const TemporaryDirectory places;
  changed.write_files("main", places.path("old"));
  constexpr std::size_t kStep = 4;  // all of them take a minute
  for (std::size_t i = 1; i < changed.commits().size(); i += kStep) {
    const ChangedCommit& commit = changed.commits()[i];
    CAPTURE(commit.name);
    changed.repository().run({"checkout", "-q", commit.name});
    {
      const WorkingDirectory here(changed.repository().root());
      const Ran ran = run_diff({"--base", "main"});
      CHECK(ran.exit == commit.exit);
      CHECK(ran.out == commit.printed);
      CHECK(run_diff({"--base", "HEAD"}).out == kNone);
    }
    changed.write_files(commit.name, places.path("new"));
    const WorkingDirectory here(places.root());
    const Json forward = json_of("old", "new");
    CHECK(run_diff({"old", "new"}).exit == commit.exit);
    {
      const WorkingDirectory repository(changed.repository().root());
      CHECK(Json::parse(run_diff({"--base", "main", "--format", "json"}).out) == forward);
    }
    CHECK(without_direction(mirrored(json_of("new", "old"))) == without_direction(forward));
    CHECK(run_diff({"new", "new"}).out == kNone);
    fs::remove_all(places.path("new"));
  }
}

TEST_CASE("diff: names the line of the values file that changes a chart") {
  const std::string git = git_or_skip();
  const std::string helm = find_program("helm", std::getenv("PATH"), {});
  if (helm.empty()) MESSAGE("skipped: there is no helm on PATH");
  if (git.empty() || helm.empty()) return;
  const GitRepository repository(git);
  fs::copy(project_file("testdata/diff/chart"), repository.path("chart"),
           fs::copy_options::recursive);
  repository.commit("base");
  replace_in(repository, "chart/values.yaml: pool: general => pool: spot");
  replace_in(repository, "chart/templates/_helpers.tpl: chat- => talk-");
  const WorkingDirectory here(repository.root());
  const Ran ran = run_diff({"--base", "HEAD", "--render", "helm", "--helm", helm});
  CAPTURE(ran.err);
  CHECK(ran.exit == 0);
  check_recorded(project_file("testdata/diff/chart.txt"), ran.out);
}

}  // namespace cnsched::testdata_diff_test
