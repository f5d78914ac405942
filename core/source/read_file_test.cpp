#include "core/source/read_file.h"

#include <sys/stat.h>

#include "testdata/support.h"

namespace cnsched::read_file_test {

TEST_CASE("reads a file up to the limit and explains failures") {
  const TemporaryDirectory directory;
  directory.write("a.yaml", "12345");
  const Result<std::string> whole = read_file(directory.path("a.yaml"), 5);
  REQUIRE(whole);
  CHECK(*whole == "12345");
  const Result<std::string> large = read_file("/dev/zero", std::size_t{1} << 20);
  REQUIRE_FALSE(large);
  CHECK(large.error().message == "larger than the limit of 1 MiB: split it, or leave it out");
  CHECK(read_file(directory.path("no.yaml"), 5).error().message == "no such file or directory");
  CHECK(read_file(directory.root().string(), 5).error().message == "is a directory");
}

TEST_CASE("suggests a name for a missing file") {
  const TemporaryDirectory directory;
  directory.write("services.yaml");
  CHECK(read_named_file(directory.path("service.yaml"))
            .error()
            .message.ends_with("did you mean '" + directory.path("services.yaml") + "'?"));
}

TEST_CASE("a regular file has a size, a pipe has none") {
  const TemporaryDirectory directory;
  directory.write("a.yaml", "12345");
  Result<OpenFile> opened = OpenFile::open(directory.path("a.yaml"));
  REQUIRE(opened);
  CHECK(opened->size() == 5);
  const OpenFile moved = *std::move(opened);
  directory.write("a.yaml", "1234567");
  const Result<std::string> grown = moved.read(7, "");
  REQUIRE(grown);
  CHECK(*grown == "1234567");
  const Result<OpenFile> endless = OpenFile::open("/dev/zero");
  REQUIRE(endless);
  CHECK_FALSE(endless->size().has_value());
  const Result<OpenFile> stood = OpenFile::open("/proc/self/stat");
  REQUIRE(stood);
  CHECK_FALSE(stood->read(100'000, "")->empty());
}

TEST_CASE("what was found is read only in its repository, and .git never") {
  const Repository tree;
  const TemporaryDirectory elsewhere;
  elsewhere.write("a.yaml");
  elsewhere.write(".git/config");
  tree.write("sub/a.yaml");
  tree.write(".git/config");
  const auto link = [&](const std::string& target, const std::string& name) {
    fs::create_symlink(target, tree.path(name));
    return name;
  };
  const std::string root = tree.root().string();
  const auto found = [&](const std::string& file) { return problem_with_input(file, root); };
  CHECK(found("sub/a.yaml") == "");
  CHECK(found("sub/../sub/a.yaml") == "");
  CHECK(found("missing.yaml") == "");
  CHECK(found(link("sub/a.yaml", "near")) == "");
  CHECK(found(link("near", "sub/chain-home")).empty());  // a link to nothing
  CHECK(found(link(elsewhere.path("a.yaml"), "far")) == kLinkOut);
  CHECK(found(link("far", "chain")) == kLinkOut);
  CHECK(found(link("../" + tree.root().filename().string() + "/far", "around")) == kLinkOut);
  link(elsewhere.root().string(), "directory");
  CHECK(found("directory/a.yaml") == kLinkOut);
  CHECK(found(link("/proc/self/environ", "environment")) == kLinkOut);
  CHECK(has(found(elsewhere.path("a.yaml")), "outside of the repository"));
  CHECK(has(found("sub/../../x.yaml"), "outside of the repository"));
  REQUIRE(::mkfifo(tree.path("pipe").c_str(), 0600) == 0);
  CHECK(found("pipe") == "not a regular file");
  fs::create_hard_link(elsewhere.path("a.yaml"), tree.path("hard"));
  CHECK(found("hard") == "");

  const std::string in_git = "in '.git', which is never read";
  const auto named = [](const std::string& file) { return problem_with_input(file); };
  CHECK(named("far") == "");
  CHECK(named("/proc/self/environ") == "");
  CHECK(named("pipe") == "");
  tree.write(".GIT/x.yaml");
  tree.write("sub/.git/HEAD");
  for (const std::string& file :
       {std::string(".git"), std::string(".git/config"), link(".git/config", "config"),
        elsewhere.path(".git/config"), std::string(".GIT/x.yaml"), std::string("sub/.git/HEAD")}) {
    CHECK_MESSAGE(named(file) == in_git, file);
  }
  CHECK(found("config") == in_git);
  // A working tree in a directory of that name.
  elsewhere.write(".git/tree/.git", "gitdir: elsewhere\n");
  CHECK(named(elsewhere.write(".git/tree/a.yaml")) == "");
}

}  // namespace cnsched::read_file_test
