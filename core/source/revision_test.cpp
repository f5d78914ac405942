#include "core/source/revision.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "testdata/git_repository.h"

namespace cnsched::revision_test {

/// The files and links below a directory, sorted, without .git.
std::vector<std::string> names_below(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_directory() && !entry.is_symlink()) continue;
    const std::string name = path_below(directory, entry.path().string());
    if (!name.starts_with(".git/")) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

/// A commit of entries as git mktree reads them: "100644 blob ID\tNAME".
std::string commit_of_tree(const GitRepository& repository, const std::string& entries) {
  const std::string tree = repository.run({"mktree", "--missing"}, entries);
  return repository.run({"commit-tree", "-m", "tree", tree});
}

std::string blob_of(const GitRepository& repository, const std::string& text) {
  return repository.run({"hash-object", "-w", "--stdin"}, text);
}

using Names = std::vector<std::string>;

TEST_CASE("a revision has the files of its commit that discovery reads") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  repository.write("a/b/svc.yaml", "a: 1\n");
  repository.write("x.JSON", "{}");
  repository.write(".gitignore", "*.tmp\n");
  repository.write("chart/templates/_helpers.tpl", "x");
  repository.write("notes.txt", "n");
  fs::create_symlink("a/b/svc.yaml", repository.path("link.yaml"));
  const std::string first = repository.commit("first");
  repository.write("a/b/svc.yaml", "a: 2\n");
  repository.commit("second");

  const TemporaryDirectory scratch;
  const std::string root = scratch.path("one/two");
  CHECK(*commit_of(repository.git(), "HEAD~1") == first);
  const auto left_out = extract(repository.git(), first, {}, root);
  REQUIRE(left_out);
  CHECK(left_out->empty());
  CHECK(names_below(root) == Names{".gitignore", "a/b/svc.yaml", "link.yaml", "x.JSON"});
  CHECK(*read_file(root + "/link.yaml", 100) == "a: 1\n");
  CHECK(repository_root(root + "/a/b") == repository_root(root));

  const std::string other = scratch.path("other");
  REQUIRE(extract(repository.git(), first, {.named = {"notes.txt"}}, other));
  CHECK(fs::exists(other + "/notes.txt"));
  const std::string all = scratch.path("all");
  REQUIRE(extract(repository.git(), first, {.all = true}, all));
  CHECK(fs::exists(all + "/chart/templates/_helpers.tpl"));
}

TEST_CASE("the base of two revisions is their best common commit") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  const std::string base = repository.commit("base");
  repository.run({"checkout", "-q", "-b", "side"});
  repository.write("side.yaml", "a: b");
  repository.commit("side");
  repository.run({"checkout", "-q", "main"});
  repository.write("main.yaml", "a: b");
  repository.commit("main");
  CHECK(*merge_base(repository.git(), "main", "side") == base);

  repository.run({"checkout", "-q", "--orphan", "island"});
  repository.commit("island");
  CHECK(merge_base(repository.git(), "main", "island").error().message ==
        "'main' and 'island' have no common commit in this clone of the repository: a shallow "
        "clone lacks it (git fetch --unshallow)");
}

TEST_CASE("an unknown revision is an error that says what to do") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  CHECK(commit_of(repository.git(), "HEAD").error().message ==
        "the repository has no commit yet (HEAD names none)");
  repository.commit("first");
  CHECK(commit_of(repository.git(), "mian\x1b").error().message ==
        "no commit is named 'mian\\x1b' in this clone of the repository: check the name, or fetch "
        "it (git fetch origin)");
  CHECK(commit_of(repository.git(), "--all").error().message == "'--all' is not a revision");
  CHECK(commit_of(repository.git(), "").error().message == "'' is not a revision");
  CHECK_FALSE(commit_of(repository.git(), std::string(100'000, 'x')));
}

TEST_CASE("a worktree, whose .git is a file, and a shallow clone are read") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  repository.write("svc.yaml", "a: 1\n");
  const std::string first = repository.commit("first");
  const TemporaryDirectory places;
  repository.run({"worktree", "add", "-q", "--detach", places.path("worktree")});
  repository.run({"clone", "-q", "--depth=1", "file://" + repository.path(), places.path("clone")});
  for (const std::string name : {"worktree", "clone"}) {
    CAPTURE(name);
    const Git read{.program = git, .repository = places.path(name)};
    CHECK(*commit_of(read, "HEAD") == first);
    REQUIRE(extract(read, first, {}, places.path(name + "-files")));
    CHECK(names_below(places.path(name + "-files")) == Names{"svc.yaml"});
  }
}

TEST_CASE("nothing of a revision is written outside, whatever its names and links are") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  const std::string blob = blob_of(repository, "a: b\n");
  const auto link = [&](const std::string& target, const std::string& name) {
    return fmt::format("120000 blob {}\t{}\n", blob_of(repository, target), name);
  };
  const auto tree = [&](const std::string& entries, const std::string& name) {
    return fmt::format("040000 tree {}\t{}\n", repository.run({"mktree", "--missing"}, entries),
                       name);
  };
  const std::string file = fmt::format("100644 blob {}\t", blob);
  const std::string commit = commit_of_tree(
      repository, tree(file + "up.yaml\n", "..") + tree(file + "in.yaml\n", ".git") +
                      tree(file + "in.yaml\n", ".GIT") + file + ".\n" + file + "ok.yaml\n" +
                      link("/etc/passwd", "absolute.yaml") + link("../x.yaml", "out.yaml") +
                      link("ok.yaml", "inside.yaml") +
                      link("deep/l/../../y.yaml", "composed.yaml") +
                      // A name that is a link and a directory.
                      link("/tmp", "both") + tree(file + "child.yaml\n", "both") +
                      fmt::format("160000 commit {}\tmodule\n", std::string(40, '1')) +
                      fmt::format("100644 blob {}\tmissing.yaml\n", std::string(40, '2')));
  const TemporaryDirectory scratch;
  const std::string root = scratch.path("a/b");
  const auto left_out = extract(repository.git(), commit, {}, root);
  REQUIRE(left_out);
  std::string text;
  for (const std::string& each : *left_out) text += each + '\n';
  CAPTURE(text);
  CHECK(names_below(scratch.root().string()) ==
        Names{"a/b/.git/info/exclude", "a/b/both/child.yaml", "a/b/inside.yaml", "a/b/ok.yaml"});
  CHECK(has(text, "../up.yaml: not a valid path, not read\n"));
  CHECK(has(text, ".GIT/in.yaml: not a valid path, not read\n"));
  CHECK(has(text, "out.yaml: a link that leads out of the repository, not read\n"));
  CHECK(has(text, "composed.yaml: a link that leads out"));
  CHECK(has(text, "module: a submodule, not read\n"));
  CHECK(has(text, "missing.yaml: not in this clone of the repository, not read\n"));
}

TEST_CASE("a commit with endless files is an error") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  std::string entry = fmt::format("100644 blob {}", blob_of(repository, "a: b\n"));
  for (int depth = 0; depth < 10; ++depth) {
    std::string entries;
    for (const char name : std::string_view("0123456789")) {
      entries += fmt::format("{}\t{}.yaml\n", entry, name);
    }
    entry = "040000 tree " + repository.run({"mktree"}, entries);
  }
  const std::string commit = commit_of_tree(repository, entry + "\ttop\n");
  const TemporaryDirectory scratch;
  const auto left_out = extract(repository.git(), commit, {}, scratch.path("x"));
  REQUIRE_FALSE(left_out);
  CHECK(left_out.error().message ==
        "git prints more than cnsched reads: the commit has too many files");
}

TEST_CASE("a file over the limit is as large in a revision, but takes no memory") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  repository.write("huge.yaml", std::string(5000, 'x'));
  repository.write("small.yaml", "a: b");
  const std::string commit = repository.commit("huge");
  const TemporaryDirectory scratch;
  REQUIRE(extract(repository.git(), commit, {.limits = {.file_size = 1000}}, scratch.path("x")));
  CHECK(fs::file_size(scratch.path("x/huge.yaml")) == 1001);
  CHECK(fs::file_size(scratch.path("x/small.yaml")) == 4);
}

TEST_CASE("the configuration of a repository starts no program") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  const TemporaryDirectory places;
  const std::string marker = places.path("marker");
  const std::string evil = places.write_program("evil", "echo $0 $* >> " + marker);
  repository.write("svc.yaml", "a: b\n");
  repository.write(".gitattributes", "*.yaml filter=x diff=x\n");
  const std::string commit = repository.commit("first");
  repository.write("svc.yaml", "a: c\n");
  places.write("included", fmt::format("[core]\n fsmonitor = {0}\n pager = {0}\n", evil));
  places.write(
      "config",
      fmt::format("[include]\n path = {1}\n[core]\n repositoryformatversion = 1\n fsmonitor = {0}\n"
                  " sshCommand = {0}\n hooksPath = {2}\n pager = {0}\n gitProxy = {0}\n"
                  " alternateRefsCommand = {0}\n editor = {0}\n askPass = {0}\n"
                  "[filter \"x\"]\n smudge = {0}\n clean = {0}\n process = {0}\n required = true\n"
                  "[diff]\n external = {0}\n[diff \"x\"]\n textconv = {0}\n command = {0}\n"
                  "[alias]\n ls-tree = !{0}\n cat-file = !{0}\n merge-base = !{0}\n"
                  "[pager]\n ls-tree = {0}\n cat-file = {0}\n merge-base = {0}\n"
                  "[credential]\n helper = {0}\n"
                  "[protocol \"ext\"]\n allow = always\n"
                  "[remote \"origin\"]\n url = ext::{0}\n promisor = true\n uploadpack = {0}\n"
                  "[extensions]\n partialClone = origin\n",
                  evil, places.path("included"), places.root().string()));
  for (const std::string hook : {"post-checkout", "post-index-change", "reference-transaction"}) {
    fs::copy_file(evil, repository.path(".git/hooks/" + hook),
                  fs::copy_options::overwrite_existing);
    fs::copy_file(evil, places.path(hook));
  }
  // A promised object that is missing would be fetched.
  const std::string missing = std::string(40, '3');
  const std::string promised =
      commit_of_tree(repository, fmt::format("100644 blob {}\tlazy.yaml\n", missing));
  fs::copy_file(places.path("config"), repository.path(".git/config"),
                fs::copy_options::overwrite_existing);

  CHECK(*commit_of(repository.git(), "HEAD") == commit);
  CHECK(*merge_base(repository.git(), "HEAD", commit) == commit);
  CHECK_FALSE(commit_of(repository.git(), missing));
  const auto left_out = extract(repository.git(), commit, {.all = true}, places.path("x"));
  REQUIRE(left_out);
  CHECK(*read_file(places.path("x/svc.yaml"), 100) == "a: b\n");
  const auto lazy = extract(repository.git(), promised, {}, places.path("y"));
  if (lazy) CHECK(*lazy == Names{"lazy.yaml: not in this clone of the repository, not read"});
  CHECK_FALSE(fs::exists(marker));
  // Others start it. They fail, because it does nothing that they expect.
  CHECK_THROWS(repository.run({"status"}));
  CHECK(fs::exists(marker));
}

}  // namespace cnsched::revision_test
