#include "core/source/save.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <csignal>

#include "testdata/support.h"

namespace cnsched::save_test {

/// Why the file is not saved.
std::string error_of(const std::string& path, bool overwrite = true) {
  const Result<Saved> saved = save(path, "new\n", {.overwrite = overwrite});
  return saved ? "saved" : saved.error().message;
}

unsigned mode_of(const std::string& path) {
  return static_cast<unsigned>(fs::status(path).permissions());
}

std::size_t files_in(const fs::path& directory) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

/// Sets the umask until the end of the scope.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

TEST_CASE("replaces a file only with the expected content") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("x.yaml", "old\n");
  const auto saved = [&](const char* expected) {
    const Result<Saved> result =
        save(path, "new\n", {.overwrite = true, .expected_content = expected});
    return result ? "" : result.error().message;
  };
  const std::string has_changed = fmt::format(
      "'{}' has changed since it was read, and was not written: run the command again", path);
  CHECK(saved("ol") == has_changed);
  CHECK(saved("old\n\n") == has_changed);
  CHECK(read_all(path) == "old\n");
  CHECK(saved("old\n").empty());
  CHECK(read_all(path) == "new\n");
  // The file already has the new content.
  CHECK(saved("old\n").empty());
  fs::remove(path);
  CHECK_FALSE(saved("old\n").empty());
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("creates a new file with the umask's mode") {
  const TemporaryDirectory directory;
  const Umask umask(027);
  const std::string path = directory.path("x.yaml");
  const Result<Saved> saved = save(path, "a: b\n");
  REQUIRE(saved);
  CHECK(*saved == Saved::created);
  CHECK(read_all(path) == "a: b\n");
  CHECK(mode_of(path) == 0640);
  CHECK(files_in(directory.root()) == 1);
}

TEST_CASE("a file in the working directory needs no directory in its name") {
  const WorkingTree directory;
  CHECK(save("x.yaml", ""));
  CHECK(read_all(directory.path("x.yaml")).empty());
}

TEST_CASE("does not write an identical file") {
  const TemporaryDirectory directory;
  const std::string text(200'000, 'x');
  const std::string path = directory.write("x.yaml", text);
  const auto written = fs::last_write_time(path);
  for (const bool overwrite : {false, true}) {
    const Result<Saved> saved = save(path, text, {.overwrite = overwrite});
    REQUIRE(saved);
    CHECK(*saved == Saved::unchanged);
  }
  CHECK(fs::last_write_time(path) == written);
}

TEST_CASE("replaces a different file only with overwrite") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("x.yaml", "old\n");
  CHECK(error_of(path, false) == "'" + path + "' exists and differs");
  CHECK(read_all(path) == "old\n");
  const Result<Saved> saved = save(path, "new\n", {.overwrite = true});
  REQUIRE(saved);
  CHECK(*saved == Saved::replaced);
  CHECK(read_all(path) == "new\n");
  CHECK(files_in(directory.root()) == 1);
}

TEST_CASE("a longer and a shorter text differ") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("x.yaml", "new");
  CHECK(error_of(path, false).ends_with("exists and differs"));
  directory.write("x.yaml", "new\nmore\n");
  CHECK(error_of(path, false).ends_with("exists and differs"));
}

TEST_CASE("a file that is replaced keeps its mode and owner") {
  const TemporaryDirectory directory;
  const Umask umask(077);
  const std::string path = directory.write("x.yaml", "old\n");
  REQUIRE(::chmod(path.c_str(), 0754) == 0);
  const bool given = ::chown(path.c_str(), 12345, 23456) == 0;  // only root may
  CHECK(error_of(path) == "saved");
  CHECK(mode_of(path) == 0754);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  if (given) CHECK(status.st_uid == 12345);
  if (given) CHECK(status.st_gid == 23456);
}

TEST_CASE("rejects anything but a regular file") {
  const TemporaryDirectory directory;
  const std::string target = directory.write("target.yaml", "old\n");
  const std::string link = directory.path("link.yaml");
  fs::create_symlink(target, link);
  CHECK(error_of(link) == "'" + link + "' is a symbolic link: name its target");
  fs::create_symlink("nowhere", directory.path("dangling"));
  CHECK(error_of(directory.path("dangling"), false).ends_with("name its target"));
  CHECK(read_all(target) == "old\n");

  fs::create_directory(directory.root() / "d");
  CHECK(error_of(directory.path("d")) ==
        "'" + directory.path("d") + "' is a directory: name a file in it");
  CHECK(error_of(directory.path("d/")) == "'" + directory.path("d/") + "' names no file");
  CHECK(error_of(directory.path("d/..")).ends_with("is a directory: name a file in it"));
  REQUIRE(::mkfifo(directory.path("fifo").c_str(), 0600) == 0);
  CHECK(error_of(directory.path("fifo")).ends_with("is not a regular file: name another"));
  CHECK(error_of("/dev/null") == "'/dev/null' is not a regular file: name another");
  CHECK(error_of("") == "'' names no file");
}

TEST_CASE("follows no link to a directory in the repository or the working directory") {
  const TemporaryDirectory outside;
  const TemporaryDirectory places;
  const WorkingDirectory beside(outside.root());
  places.write("repo/.git/HEAD");
  places.write("repo/sub/own/x.yaml", "old\n");
  places.write("repo/sub/.git/HEAD");  // the outermost repository counts
  const auto link = [&](const fs::path& target, const std::string& name) {
    fs::create_directory_symlink(target, places.path(name));
  };
  link(outside.root(), "repo/away");
  link("sub/own", "repo/near");
  link("../away", "repo/sub/chain");
  link(outside.root(), "repo/sub/.git/deep");
  const auto problem = [](const std::string& path, const std::string& at) {
    return fmt::format("'{}' cannot be written: '{}' is a symbolic link: name its target", path,
                       at);
  };
  {
    const WorkingDirectory here(places.path("repo/sub"));
    CHECK(error_of("chain/x.yaml") == problem("chain/x.yaml", "chain"));
    CHECK(error_of("./own/../chain/x.yaml") == problem("./own/../chain/x.yaml", "chain"));
    CHECK(error_of("../away/x.yaml") == problem("../away/x.yaml", places.path("repo/away")));
    CHECK(error_of("../near/x.yaml") == problem("../near/x.yaml", places.path("repo/near")));
    CHECK(error_of(".git/deep/x.yaml") == problem(".git/deep/x.yaml", ".git/deep"));
    CHECK(error_of("own/x.yaml") == "saved");
    // As the path reads, not into the directory above the link's target.
    CHECK(error_of("chain/../own/y.yaml") == "saved");
  }
  const std::string absolute = places.path("repo/away/x.yaml");
  CHECK(error_of(absolute) == problem(absolute, places.path("repo/away")));
  // A link to the repository, or outside of one, is the user's.
  link("repo", "alias");
  CHECK(error_of(places.path("alias/own.yaml")) == "saved");
  CHECK(error_of(places.path("alias/away/x.yaml")) ==
        problem(places.path("alias/away/x.yaml"), places.path("alias/away")));
  link("repo/sub", "free");
  CHECK(error_of(places.path("free/own/z.yaml")) == "saved");
  CHECK(files_in(outside.root()) == 0);
  // The working directory without a repository.
  fs::create_directory(places.path("plain"));
  link(outside.root(), "plain/away");
  const WorkingDirectory here(places.path("plain"));
  CHECK(error_of("away/x.yaml") == problem("away/x.yaml", "away"));
  CHECK(error_of(places.path("plain/away/x.yaml")) ==
        problem(places.path("plain/away/x.yaml"), "away"));
  CHECK(files_in(outside.root()) == 0);
}

TEST_CASE("reports a missing directory") {
  const TemporaryDirectory directory;
  CHECK(error_of(directory.path("no/x.yaml")) ==
        "'" + directory.path("no/x.yaml") + "' cannot be written: the directory '" +
            directory.path("no") + "' does not exist: create it first");
  directory.write("file");
  CHECK(error_of(directory.path("file/x.yaml")).ends_with("cannot be opened: not a directory"));
  CHECK(error_of(directory.path(std::string(300, 'x'))).ends_with("file name too long"));
}

TEST_CASE("keeps the old file and no temporary one when the disk is full") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("x.yaml", "old\n");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{2, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &little) == 0);
  const std::string message = error_of(path);
  const std::string other = error_of(directory.path("y.yaml"), false);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(message == "'" + path + "' cannot be written: file too large");
  CHECK(other.ends_with("cannot be written: file too large"));
  CHECK(read_all(path) == "old\n");
  CHECK(files_in(directory.root()) == 1);
}

}  // namespace cnsched::save_test
