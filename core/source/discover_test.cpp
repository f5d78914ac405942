#include "core/source/discover.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/source/path.h"
#include "testdata/support.h"

namespace cnsched::discover_test {

class TemporaryDirectory : public test::TemporaryDirectory {
 public:
  /// The files found below the directory, relative to it.
  std::vector<std::string> files(const DiscoverOptions& options = {}) const {
    return relative(discover({root().string()}, options).files);
  }
  std::vector<std::string> relative(std::vector<std::string> paths) const {
    for (std::string& path : paths) path = path.substr(root().string().size() + 1);
    return paths;
  }
};

using Paths = std::vector<std::string>;

Paths paths_of(const std::vector<Skipped>& skipped) {
  Paths paths;
  for (const Skipped& entry : skipped) paths.push_back(entry.path);
  return paths;
}

TEST_CASE("suggests a file name for a missing file") {
  const test::TemporaryDirectory directory;
  directory.write("services.yaml");
  const auto reason_of = [&](const std::string& name) {
    return discover({directory.path(name)}, {}).unreadable.at(0).reason;
  };
  CHECK(reason_of("service.yaml") ==
        "no such file or directory, did you mean '" + directory.path("services.yaml") + "'?");
  CHECK(reason_of("services.yml") == reason_of("service.yaml"));
  CHECK(reason_of("banana.yaml") == "no such file or directory");
  CHECK(reason_of("no/services.yaml") == "no such file or directory");
  std::filesystem::create_symlink("nowhere", directory.path("link.yaml"));
  CHECK(reason_of("link.yaml") == "broken symbolic link");
}

TEST_CASE("YAML and JSON files are found at any depth, sorted") {
  const TemporaryDirectory directory;
  for (const char* name :
       {"b.yaml", "a/c.yml", "a/b/d.json", "E.YAML", "readme.md", "x.yaml.bak"}) {
    directory.write(name);
  }
  CHECK(directory.files() == Paths{"E.YAML", "a/b/d.json", "a/c.yml", "b.yaml"});
}

TEST_CASE("reads a named file of any name once") {
  const TemporaryDirectory directory;
  directory.write("manifest.txt");
  const std::string file = directory.path("manifest.txt");
  CHECK(discover({file, file}, {}).files == Paths{file});
}

TEST_CASE("a missing path is unreadable") {
  const TemporaryDirectory directory;
  const Discovered found = discover({directory.path("no.yaml")}, {});
  REQUIRE(found.unreadable.size() == 1);
  CHECK(found.unreadable[0].path == directory.path("no.yaml"));
  CHECK(found.unreadable[0].reason == "no such file or directory");
}

TEST_CASE("returns standard input unchanged") { CHECK(discover({"-"}, {}).files == Paths{"-"}); }

TEST_CASE("follows links to files but not to directories") {
  const TemporaryDirectory directory;
  directory.write("b.txt");
  directory.write("real/a.yaml");
  fs::create_symlink("b.txt", directory.path("link.yaml"));
  fs::create_directory_symlink(directory.root(), directory.path("real/loop"));
  CHECK(directory.files() == Paths{"link.yaml", "real/a.yaml"});
  CHECK(discover({directory.path("real/loop")}, {}).files.size() == 2);
}

TEST_CASE("follows a link out of the repository only if the user names it") {
  const TemporaryDirectory directory;
  directory.write("outer/.git/HEAD");
  directory.write("outer/b.yaml");
  directory.write("outer/repo/.git/config");
  const std::string repo = directory.path("outer/repo");
  const auto link = [&](const std::string& target, const std::string& name) {
    fs::create_symlink(target, repo + "/" + name);
  };
  link("../b.yaml", "out.yaml");
  link("out.yaml", "chain.yaml");
  link(".git/config", "git.yaml");
  link("/proc/self/environ", "environment.json");
  const Discovered found = discover({repo}, {});
  CHECK(found.files.empty());
  CHECK(paths_of(found.skipped) == Paths{repo + "/chain.yaml", repo + "/environment.json",
                                         repo + "/git.yaml", repo + "/out.yaml"});
  CHECK(found.skipped[0].reason == kLinkOut);
  CHECK(found.skipped[2].reason == "in '.git', which is never read");
  CHECK(discover({repo + "/out.yaml"}, {}).files == Paths{repo + "/out.yaml"});
  CHECK(discover({directory.path("outer")}, {}).files.size() == 1);
  for (const char* name : {"/git.yaml", "/.git", "/.git/config"}) {
    const Discovered in_git = discover({repo + name}, {});
    CHECK(in_git.files.empty());
    REQUIRE(in_git.unreadable.size() == 1);
    CHECK(in_git.unreadable[0].reason == "is in '.git', which is never read");
  }
}

TEST_CASE("reports a broken link with a manifest's name") {
  const TemporaryDirectory directory;
  fs::create_symlink("nowhere", directory.path("dangling.yaml"));
  fs::create_symlink("nowhere", directory.path("dangling.txt"));
  fs::create_symlink("self.yaml", directory.path("self.yaml"));
  const Discovered found = discover({directory.root().string()}, {});
  REQUIRE(found.unreadable.size() == 2);
  CHECK(found.unreadable[0].path == directory.path("dangling.yaml"));
  CHECK(found.unreadable[0].reason == "broken symbolic link");
}

TEST_CASE("reports a directory that cannot be listed") {
  if (::geteuid() == 0) return;  // root may list everything
  const TemporaryDirectory directory;
  directory.write("secret/a.yaml");
  fs::permissions(directory.path("secret"), fs::perms::none);
  const Discovered found = discover({directory.root().string()}, {});
  fs::permissions(directory.path("secret"), fs::perms::owner_all);
  REQUIRE(found.unreadable.size() == 1);
  CHECK(found.unreadable[0].path == directory.path("secret"));
}

TEST_CASE("skips pipes and .git") {
  const TemporaryDirectory directory;
  directory.write(".git/config.yaml");
  directory.write(".github/workflow.yaml");
  REQUIRE(::mkfifo(directory.path("pipe.yaml").c_str(), 0600) == 0);
  CHECK(directory.files() == Paths{".github/workflow.yaml"});
  const Discovered found = discover({directory.root().string()}, {});
  REQUIRE(found.skipped.size() == 1);
  CHECK(found.skipped[0].path == directory.path("pipe.yaml"));
  CHECK(found.skipped[0].reason == "not a regular file");
}

TEST_CASE(".gitignore files apply below their directory, and nearer ones win") {
  const TemporaryDirectory directory;
  fs::create_directory(directory.path(".git"));
  directory.write(".gitignore", "*.gen.yaml\n/top.yaml\nbuild/\n");
  directory.write("sub/.gitignore", "!keep.gen.yaml\nlocal.yaml\n");
  for (const char* name : {"top.yaml", "a.gen.yaml", "build/x.yaml", "local.yaml", "sub/top.yaml",
                           "sub/keep.gen.yaml", "sub/local.yaml", "sub/deep/local.yaml"}) {
    directory.write(name);
  }
  CHECK(directory.files() == Paths{"local.yaml", "sub/keep.gen.yaml", "sub/top.yaml"});
  CHECK(directory.files({.gitignore = false}).size() == 8);
  const Discovered found = discover({directory.root().string()}, {});
  CHECK(directory.relative(paths_of(found.skipped)) ==
        Paths{"a.gen.yaml", "build/", "sub/deep/local.yaml", "sub/local.yaml", "top.yaml"});
}

TEST_CASE("a .gitignore above the named directory applies up to the repository's root") {
  const TemporaryDirectory directory;
  directory.write(".gitignore", "outside.yaml\n");
  fs::create_directories(directory.path("repo/.git/info"));
  directory.write("repo/.git/info/exclude", "private.yaml\n");
  directory.write("repo/.gitignore", "/sub/no.yaml\n");
  for (const char* name : {"no.yaml", "yes.yaml", "outside.yaml", "private.yaml"}) {
    directory.write(std::string("repo/sub/") + name);
  }
  CHECK(directory.relative(discover({directory.path("repo/sub")}, {}).files) ==
        Paths{"repo/sub/outside.yaml", "repo/sub/yes.yaml"});
}

TEST_CASE("a named file is read even if .gitignore ignores it") {
  const TemporaryDirectory directory;
  fs::create_directory(directory.path(".git"));
  directory.write(".gitignore", "*.yaml\n");
  directory.write("a.yaml");
  CHECK(directory.files().empty());
  CHECK(discover({directory.path("a.yaml")}, {}).files.size() == 1);
}

TEST_CASE("exclude patterns are relative to the working directory") {
  const TemporaryDirectory directory;
  directory.write("a/x.yaml");
  directory.write("b/x.yaml");
  const WorkingDirectory here(directory.root());
  CHECK(discover({"."}, {.exclude = {"a/"}}).files == Paths{"b/x.yaml"});
  CHECK(discover({"a", "b"}, {.exclude = {"/b/x.yaml"}}).files == Paths{"a/x.yaml"});
  CHECK(discover({"."}, {.exclude = {"x.yaml"}}).files.empty());
}

TEST_CASE("excludes a named file only with force_exclude") {
  const TemporaryDirectory directory;
  directory.write("a/x.yaml");
  const WorkingDirectory here(directory.root());
  CHECK(discover({"a/x.yaml"}, {.exclude = {"a/"}}).files == Paths{"a/x.yaml"});
  const Discovered forced = discover({"a/x.yaml"}, {.exclude = {"a/"}, .force_exclude = true});
  CHECK(forced.files.empty());
  CHECK(paths_of(forced.skipped) == Paths{"a/x.yaml"});
  CHECK(discover({"a"}, {.exclude = {"a/"}, .force_exclude = true}).files.empty());
}

TEST_CASE(
    "the caller's exclusion applies from the top down, and with force_exclude to named files") {
  const TemporaryDirectory directory;
  directory.write("repo/.git/HEAD", "");
  directory.write("repo/a/deep/x.yaml");
  directory.write("repo/b/x.yaml");
  std::vector<std::string> asked;
  DiscoverOptions options;
  options.excluded = [&](const std::string& real, bool is_directory) {
    asked.push_back(real);
    return real == directory.path("repo/a") && is_directory ? std::optional<std::string>("ours")
                                                            : std::nullopt;
  };
  const Discovered found = discover({directory.path("repo")}, options);
  CHECK(directory.relative(found.files) == Paths{"repo/b/x.yaml"});
  REQUIRE(found.skipped.size() == 1);
  CHECK(found.skipped.front().reason == "ours");
  CHECK(discover({directory.path("repo/a/deep/x.yaml")}, options).files.size() == 1);
  options.force_exclude = true;
  asked.clear();
  CHECK(discover({directory.path("repo/a/deep/x.yaml")}, options).files.empty());
  CHECK(discover({directory.path("repo/a/deep")}, options).files.empty());
  // A .gitignore above the repository does not apply.
  CHECK(asked == Paths{directory.path("repo/a"), directory.path("repo/a")});
}

TEST_CASE("the repository's root is the nearest directory with .git") {
  const TemporaryDirectory directory;
  directory.write("repo/.git", "gitdir: elsewhere\n");  // a worktree's .git is a file
  directory.write("repo/sub/a.yaml");
  CHECK(repository_root(directory.path("repo/sub")) == directory.path("repo"));
  CHECK(repository_root(directory.path("repo")) == directory.path("repo"));
}

TEST_CASE("the search upwards ends at the repository's root or the file system's") {
  const TemporaryDirectory directory;
  directory.write("repo/.git/HEAD");
  directory.write("repo/sub/a.yaml");
  CHECK(parent_in_repository(directory.path("repo/sub")) == directory.path("repo"));
  CHECK(parent_in_repository(directory.path("repo")) == "");
  CHECK(parent_in_repository(directory.root().string()) == directory.root().parent_path().string());
  CHECK(parent_in_repository("/") == "");
}

TEST_CASE("reads a file once under its own name") {
  const test::TemporaryDirectory directory;
  const std::string file = directory.write("models/llama.yaml");
  directory.write("other.yaml");
  directory.write(".git/HEAD");
  const auto link = [&](const std::string& target, const std::string& name) {
    std::filesystem::create_symlink(target, directory.path(name));
  };
  link("llama.yaml", "models/a-link.yaml");
  link("../other.yaml", "models/b-link.yaml");
  link("../other.yaml", "models/c-link.yaml");

  const std::string models = directory.path("models");
  const Discovered found = discover({models, models + "/../models/llama.yaml"}, {});
  CHECK(found.files == std::vector<std::string>{models + "/b-link.yaml", file});
  REQUIRE(found.skipped.size() == 3);
  CHECK(found.skipped[1].path == models + "/a-link.yaml");
  CHECK(found.skipped[1].reason == fmt::format("the same file as {}", file));
}

TEST_CASE("reports directories that are nested too deeply") {
  const TemporaryDirectory tree;
  std::string below = "top";
  for (std::size_t i = 0; i < 100; ++i) below += "/d";
  tree.write(below + "/a.yaml");
  CHECK(discover({tree.path("top")}, {.gitignore = false}).files.size() == 1);
  CHECK(discover({tree.path("top")}, {.gitignore = false}).unreadable.empty());
  tree.write(below + "/d/b.yaml");
  const Discovered found = discover({tree.path("top")}, {.gitignore = false});
  CHECK(found.files.size() == 1);
  REQUIRE(found.unreadable.size() == 1);
  CHECK(found.unreadable.front().path == tree.path(below + "/d"));
  CHECK(
      found.unreadable.front().reason ==
      "nested too deeply: the limit is 100 directories below a named one; name a deeper directory");
  CHECK(discover({tree.path("top/d")}, {.gitignore = false}).files.size() == 2);
}

}  // namespace cnsched::discover_test
