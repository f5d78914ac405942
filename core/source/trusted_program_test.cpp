#include "core/source/trusted_program.h"

#include "testdata/support.h"

namespace cnsched::trusted_program_test {

TEST_CASE("programs are found on PATH, but not in what is checked") {
  const TemporaryDirectory tree;
  const auto program = [&](const std::string& name) { return tree.write_program(name, ""); };
  tree.write("repo/.git/config");
  const std::string inside = program("repo/bin/helm");
  const std::string outside = program("bin/helm");
  fs::create_directory(tree.path("links"));
  fs::create_symlink(inside, tree.path("links/helm"));
  fs::create_directory_symlink(tree.path("repo/bin"), tree.path("linked"));
  fs::create_directory_symlink(tree.path("bin"), tree.path("repo/away"));
  tree.write("plain/helm");  // not executable
  const std::vector<std::string> checked = {tree.path("repo/charts/a/x")};
  const auto find = [&](const std::string& path) { return find_program("helm", path, checked); };
  CHECK(find(tree.path("repo/bin")) == "");
  CHECK(find(tree.path("links")) == "");
  CHECK(find(tree.path("linked")) == "");
  CHECK(find(tree.path("repo/away")) == "");
  CHECK(find(tree.path("bin/../repo/bin")) == "");
  CHECK(find(tree.path("plain") + "::.:" + tree.path("repo/bin") + ":" + tree.path("bin")) ==
        outside);
  CHECK(find("bin") == "");
  CHECK(find("") == "");
}

TEST_CASE("no repository around the checked one gives programs") {
  const TemporaryDirectory tree;
  tree.write("outer/.git", "gitdir: elsewhere\n");
  tree.write("outer/plain/inner/.git/config");
  tree.write_program("outer/bin/git", "");
  const std::vector<std::string> checked = {tree.path("outer/plain/inner/a/x")};
  CHECK(find_program("git", tree.path("outer/bin"), checked) == "");
  CHECK(trusted_path(tree.path("outer/bin") + ":/usr/bin:bin", checked) == "/usr/bin");
  // One checked file is enough.
  tree.write("other/x.yaml");
  const std::vector<std::string> more = {tree.path("other/x.yaml"), checked.front()};
  CHECK(find_program("git", tree.path("outer/bin"), more) == "");
  CHECK(find_program("git", tree.path("outer/bin"), {}) == tree.path("outer/bin/git"));
}

}  // namespace cnsched::trusted_program_test
