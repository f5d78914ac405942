#include "core/source/git_index.h"

#include "core/source/discover.h"
#include "testdata/git_repository.h"

namespace cnsched::git_index_test {

using Paths = std::vector<std::string>;

bool is_yaml(std::string_view name) { return name.ends_with(".yaml"); }

std::string big_endian(std::size_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = size; i-- > 0;) bytes += static_cast<char>(value >> (8 * i) & 0xffU);
  return bytes;
}

std::string header(std::size_t version, std::size_t entries) {
  return "DIRC" + big_endian(version, 4) + big_endian(entries, 4);
}

/// An entry of version 4: `removed` bytes of the path before it are replaced by `added`.
std::string entry(const std::string& removed, const std::string& added, std::size_t length) {
  return std::string(60, '\1') + big_endian(length, 2) + removed + added + '\0';
}

/// Whether `found` is nothing or has paths of at most `size` bytes together.
bool is_bounded(const std::optional<Paths>& found, std::size_t size) {
  for (const std::string& path : found.value_or(Paths())) size -= std::min(size, path.size());
  return size > 0;
}

TEST_CASE("reads what git writes in every version of its index") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  const std::string longest = "deep/" + std::string(200, 'a') + "/" + std::string(200, 'b');
  for (const std::string& name : {std::string("a.yaml"), std::string("models/gpu/l4.yaml"),
                                  std::string("models/gpu/l40.yaml"), longest + ".yaml"}) {
    repository.write(name, "a: 1\n");
  }
  repository.write("README.md", "");
  repository.commit("all");
  const Paths all = {"a.yaml", longest + ".yaml", "models/gpu/l4.yaml", "models/gpu/l40.yaml"};
  for (const std::string version : {"2", "4"}) {
    CAPTURE(version);
    repository.run({"update-index", "--index-version", version});
    CHECK(tracked_files(repository.root().string(), is_yaml) == all);
  }
  repository.run({"update-index", "--index-version", "3"});
  repository.write("new.yaml", "");
  repository.run({"add", "--intent-to-add", "new.yaml"});  // has flags that version 2 does not have
  CHECK(tracked_files(repository.root().string(), is_yaml).size() == all.size() + 1);

  repository.run({"worktree", "add", "-q", "tree", "HEAD"});
  CHECK(tracked_files(repository.path("tree"), is_yaml) == all);
}

TEST_CASE("reads what git tracks although .gitignore ignores it") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  for (const char* name : {"pools/tracked.yaml", "pools/deep/tracked.yaml", "tracked.gen.yaml"}) {
    repository.write(name, "a: 1\n");
  }
  repository.commit("before .gitignore");
  repository.write(".gitignore", "pools/\nbuild/\n*.gen.yaml\n");
  for (const char* name : {"pools/new.yaml", "pools/deep/new.yaml", "pools/other/new.yaml",
                           "build/new.yaml", "new.gen.yaml", "new.yaml"}) {
    repository.write(name, "a: 1\n");
  }
  const Discovered found = discover({repository.root().string()}, {});
  const auto relative = [&](std::string path) {
    return path.substr(repository.root().string().size() + 1);
  };
  Paths files, skipped;
  for (const std::string& file : found.files) files.push_back(relative(file));
  for (const Skipped& each : found.skipped) skipped.push_back(relative(each.path));
  CHECK(files ==
        Paths{"new.yaml", "pools/deep/tracked.yaml", "pools/tracked.yaml", "tracked.gen.yaml"});
  CHECK(skipped ==
        Paths{"build/", "new.gen.yaml", "pools/deep/new.yaml", "pools/new.yaml", "pools/other/"});
  CHECK(found.ignored().files == 3);
  CHECK(found.ignored().directories == 2);
}

TEST_CASE("reads the index of a repository with ids of SHA-256") {
  const std::string one =
      std::string(72, '\1') + big_endian(6, 2) + "a.yaml" + std::string(8, '\0');
  CHECK(paths_in_index(header(2, 1) + one, is_yaml) == Paths{"a.yaml"});
}

TEST_CASE("rejects what is no index, in bounded memory") {
  for (const std::string& bytes :
       {std::string(), std::string("DIRC"), header(2, 1), header(5, 0), header(4, 1),
        "XIRC" + header(2, 0).substr(4), header(2, 0xffffffff) + std::string(1000, '\0'),
        header(2, 1) + std::string(60, '\1') + big_endian(5, 2) + "a.yaml" + std::string(8, '\0'),
        header(4, 1) + entry(std::string(1, '\1'), "a.yaml", 6),
        header(4, 1) + entry(std::string(100, '\xff'), "a.yaml", 6)}) {
    CHECK_FALSE(paths_in_index(bytes, is_yaml));
  }
  CHECK(paths_in_index(header(4, 0), is_yaml) == Paths());
  // Each entry of some bytes has a path of 4,000.
  std::string bytes =
      header(4, 100'000) + entry(std::string(1, '\0'), std::string(4000, 'a') + ".yaml", 4005);
  for (int i = 1; i < 100'000; ++i) bytes += entry(std::string(1, '\0'), "", 4005);
  CHECK(is_bounded(paths_in_index(bytes, is_yaml), std::size_t{128} << 20U));
}

TEST_CASE("follows no link to an index, and waits for no pipe") {
  const test::TemporaryDirectory tree;
  tree.write("index", header(4, 1) + entry(std::string(1, '\0'), "a.yaml", 6));
  tree.write("real/.git/index", header(4, 1) + entry(std::string(1, '\0'), "a.yaml", 6));
  CHECK(tracked_files(tree.path("real"), is_yaml) == Paths{"a.yaml"});
  fs::create_directories(tree.path("linked/.git"));
  fs::create_symlink(tree.path("index"), tree.path("linked/.git/index"));
  CHECK(tracked_files(tree.path("linked"), is_yaml).empty());
  tree.write("file/.git", "gitdir: ..\n");
  CHECK(tracked_files(tree.path("file"), is_yaml) == Paths{"a.yaml"});
  tree.write("endless/.git", "gitdir: /dev\n");
  CHECK(tracked_files(tree.path("endless"), is_yaml).empty());
  CHECK(tracked_files("", is_yaml).empty());
}

}  // namespace cnsched::git_index_test
