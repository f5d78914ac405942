#include "core/packages/package_copy.h"
#include "testdata/support.h"

namespace cnsched::packages::package_copy_test {

/// A repository beside a directory that is outside of it.
class Scene {
 public:
  Scene() {
    tree_.write("repo/.git/config", "secret");
    tree_.write("outside/f", "secret");
  }

  std::string write(const std::string& name, const std::string& text) const {
    tree_.write("repo/" + name, text);
    return path(name);
  }
  void link(const std::string& name, const std::string& target) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    fs::create_symlink(target, path(name));
  }
  std::string path(const std::string& name) const { return tree_.path("repo/" + name); }

  /// "NAME=TEXT" of every file of the copy, or the problem.
  std::vector<std::string> copied(const Package& package,
                                  const std::vector<std::string>& values = {}) const {
    const std::string to = tree_.path("copy");
    fs::remove_all(to);
    PackageCopy copy;
    if (const auto problem = copy_package(package, values, to, copy)) {
      return {problem->path + ": " + problem->reason};
    }
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(to)) {
      CHECK_FALSE(entry.is_symlink());
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      std::string text;
      std::getline(file, text);
      files.push_back(entry.path().lexically_relative(to).string() + "=" + text);
    }
    std::ranges::sort(files);
    return files;
  }

 private:
  TemporaryDirectory tree_;
};

using Files = std::vector<std::string>;

TEST_CASE("a chart is copied with what links in the repository lead to") {
  const Scene scene;
  scene.write(" c ,x/Chart.yaml", "name: c");
  scene.write("data/f", "data");
  scene.link(" c ,x/files", "../data");
  scene.link(" c ,x/gone", "nowhere");
  scene.write(" c ,x/.GIT/x", "");
  scene.write("v,w.yaml", "v");
  const Package chart{Package::Kind::chart, scene.path(" c ,x")};
  CHECK(scene.copied(chart, {scene.path("v,w.yaml")}) ==
        Files{"files/Chart.yaml=name: c", "files/files/f=data", "values-0.yaml=v"});
}

TEST_CASE("a chart with a link out of the repository, or to .git, is not copied") {
  const Scene scene;
  scene.write("c/Chart.yaml", "name: c");
  const Package chart{Package::Kind::chart, scene.path("c")};
  const auto problem = [&](const std::string& name) {
    return Files{scene.path(name) +
                 ": the link leads out of the repository: the package is not rendered"};
  };
  scene.link("c/cfg", "../.git/config");
  CHECK(scene.copied(chart) == problem("c/cfg"));
  fs::remove(scene.path("c/cfg"));
  scene.write("data/x", "");
  scene.link("c/files", "../data");
  scene.link("data/f", "../../outside/f");  // two links in a row
  CHECK(scene.copied(chart) == problem("c/files/f"));
}

TEST_CASE("a chart gets the charts that it names with file://") {
  const Scene scene;
  scene.write("a/Chart.yaml", "dependencies: [{name: b, repository: 'file://../b'}]");
  scene.write("b/Chart.yaml", "dependencies: [{name: c, repository: 'file://../deep/c'}]");
  scene.write("deep/c/Chart.yaml", "dependencies: [{name: a, repository: 'file://../../a'}]");
  const Files files = scene.copied({Package::Kind::chart, scene.path("a")});
  REQUIRE(files.size() > 3);
  CHECK(files.size() < 20);  // a cycle ends
  CHECK(std::ranges::count_if(files, [](const std::string& file) {
          return file.starts_with("files/charts/b/charts/c/Chart.yaml=");
        }) == 1);
}

TEST_CASE("an overlay is copied to where it is in the repository, without what is outside") {
  const Scene scene;
  const std::string kustomization = scene.write("a/o/kustomization.yaml", "k");
  const std::string base = scene.write("a/base/x.yaml", "x");
  scene.write("a/o/patch.yaml", "p");
  scene.write("unused/x.yaml", "");
  scene.link("a/o/leak", "../../../outside/f");
  const Package overlay{
      .kind = Package::Kind::overlay,
      .path = scene.path("a/o"),
      .files = {kustomization, base, scene.path(".git/config"), scene.path("../outside/f")}};
  CHECK(scene.copied(overlay) ==
        Files{"files/a/base/x.yaml=x", "files/a/o/kustomization.yaml=k", "files/a/o/patch.yaml=p"});
}

TEST_CASE("messages of an engine get the names of the user") {
  const PackageCopy copy{.names = {{"/tmp/x/p0/files/a/o", "o"}, {"/tmp/x/p0/files/", ""}}};
  CHECK(copy.with_names("no /tmp/x/p0/files/a/o/x.yaml in /tmp/x/p0/files/b") ==
        "no o/x.yaml in b");
}

}  // namespace cnsched::packages::package_copy_test
