#include "core/packages/package.h"
#include "testdata/support.h"

namespace cnsched::packages::package_test {

constexpr RenderKinds kAll = {.charts = true, .overlays = true};

/// Files in a directory, which is a repository, and what is found among them.
class Tree : Repository {
 public:
  void add(const std::string& path, const std::string& text = "a: b\n") {
    write(path, text);
    files_.push_back(path);
  }

  PackageSearch search(RenderKinds kinds = kAll) const { return find_packages(files_, kinds); }
  std::vector<std::string> packages() const {
    std::vector<std::string> paths;
    for (const Package& each : search().packages) paths.push_back(each.path);
    return paths;
  }
  std::string rejection() const {
    const auto rejected = search().rejected;
    if (rejected.size() != 1) return std::to_string(rejected.size()) + " rejections";
    return rejected[0].path + ":" + std::to_string(rejected[0].line) + ": " + rejected[0].reason;
  }

 private:
  std::vector<std::string> files_;
};

using Paths = std::vector<std::string>;

TEST_CASE("charts are found by Chart.yaml, with all files below them") {
  Tree tree;
  tree.add("a/Chart.yaml");
  tree.add("a/templates/x.yaml");
  tree.add("a/values.yaml");
  tree.add("b.yaml");
  const PackageSearch found = tree.search();
  REQUIRE(found.packages.size() == 1);
  CHECK(found.packages[0].path == "a");
  CHECK(found.packages[0].kind == Package::Kind::chart);
  CHECK(found.files == Paths{"b.yaml"});
  CHECK(tree.search({}).packages.empty());
  CHECK(tree.search({}).files.size() == 4);
}

TEST_CASE("a chart in charts/ is part of the chart above it; another one is not") {
  Tree tree;
  tree.add("a/Chart.yaml");
  tree.add("a/charts/sub/Chart.yaml");
  tree.add("a/charts/sub/charts/deep/Chart.yaml");
  tree.add("a/charts/sub/charts/deep/templates/x.yaml");
  tree.add("a/other/Chart.yaml");
  tree.add("charts/b/Chart.yaml");
  CHECK(tree.packages() == Paths{"a", "a/other", "charts/b"});
  CHECK(tree.search().files.empty());
}

TEST_CASE("a library chart is not rendered, and an archive is a chart") {
  Tree tree;
  tree.add("lib/Chart.yaml", "type: library\n");
  tree.add("llama-0.1.0.tgz");
  CHECK(tree.packages() == Paths{"llama-0.1.0.tgz"});
  CHECK(tree.search().files.empty());
}

TEST_CASE("a kustomization that another one uses is part of it") {
  Tree tree;
  tree.add("base/kustomization.yaml", "resources: [isvc.yaml]\n");
  tree.add("base/isvc.yaml");
  tree.add("prod/kustomization.yaml",
           "resources: [../base]\ncomponents: [../gpu]\npatches: [{path: p.yaml}]\n");
  tree.add("prod/p.yaml");
  tree.add("dev/kustomization.yaml", "bases: [../base/]\n");
  tree.add("gpu/kustomization.yaml", "kind: Component\n");
  tree.add("alone.yaml");
  CHECK(tree.packages() == Paths{"dev", "prod"});
  CHECK(tree.search().files == Paths{"alone.yaml"});
}

TEST_CASE("a component that nothing uses is not rendered") {
  Tree tree;
  tree.add("gpu/kustomization.yaml", "kind: Component\n");
  CHECK(tree.packages().empty());
}

TEST_CASE("a kustomization that names what is not here is rejected at its line") {
  for (const char* name : {"https://example.invalid/x.yaml", "github.com/o/r//base?ref=v1",
                           "git@example.invalid:o/r", "missing.yaml"}) {
    Tree tree;
    tree.add("o/kustomization.yaml", std::string("resources:\n- ") + name + "\n");
    CHECK(tree.packages().empty());
    CHECK(tree.rejection() ==
          "o/kustomization.yaml:2: '" + std::string(name) +
              "' of 'resources' is no file or directory here, and remote resources are not "
              "fetched: not rendered");
  }
}

TEST_CASE("a rejected base rejects the overlays that use it") {
  Tree tree;
  tree.add("base/kustomization.yaml", "configMapGenerator:\n- files: [x=http://a.invalid/b]\n");
  tree.add("prod/kustomization.yaml", "resources: [../base]\n");
  CHECK(tree.packages().empty());
  CHECK(tree.rejection().starts_with("base/kustomization.yaml:2: 'http://a.invalid/b'"));
}

TEST_CASE("charts that kustomize would fetch are rejected") {
  Tree tree;
  tree.add("o/kustomization.yaml", "helmCharts:\n- name: llama\n  repo: https://a.invalid\n");
  CHECK(tree.rejection() ==
        "o/kustomization.yaml:2: kustomize would fetch the chart 'llama' of 'helmCharts', which is "
        "not in 'o/charts/llama': not rendered");
}

TEST_CASE("what is outside of the repository is rejected") {
  const TemporaryDirectory outside;
  outside.write("secret.yaml");
  Tree tree;
  tree.add("o/kustomization.yaml",
           "resources:\n- " +
               fs::relative(outside.path("secret.yaml"), fs::absolute("o")).string() + "\n");
  CHECK(has(tree.rejection(), "is outside of the repository"));
}

TEST_CASE("the sources of a rejected package stay files, unless another package is built of them") {
  Tree tree;
  tree.add("base/kustomization.yaml", "resources: [a.yaml]\n");
  tree.add("base/a.yaml");
  tree.add("bad/kustomization.yaml", "resources: [../base, gone.yaml, b.yaml]\n");
  tree.add("bad/b.yaml");
  CHECK(tree.packages().empty());
  CHECK(tree.search().files ==
        Paths{"bad/b.yaml", "bad/kustomization.yaml", "base/a.yaml", "base/kustomization.yaml"});
  tree.add("good/kustomization.yaml", "resources: [../base]\n");
  CHECK(tree.packages() == Paths{"good"});
  CHECK(tree.search().files == Paths{"bad/b.yaml", "bad/kustomization.yaml"});
  CHECK(tree.search().packages[0].found ==
        Paths{"good/kustomization.yaml", "base/a.yaml", "base/kustomization.yaml"});
}

TEST_CASE("a chart that lies where kustomize looks for it is used, and is no package of its own") {
  Tree tree;
  tree.add("o/kustomization.yaml",
           "helmGlobals: {chartHome: home}\n"
           "helmCharts: [{name: llama, version: 1.0.0, repo: 'https://a.invalid'}, {name: b}]\n");
  tree.add("o/home/llama-1.0.0/llama/Chart.yaml", "name: llama\n");
  CHECK(has(tree.rejection(), "the chart 'b' of 'helmCharts', which is not in 'o/home/b'"));
  tree.add("o/home/b/Chart.yaml", "name: b\n");
  CHECK(tree.packages() == Paths{"o"});
  CHECK(tree.search().packages[0].charts == Paths{"o/home/b", "o/home/llama-1.0.0/llama"});
  // Without the overlay, its files would be those of the charts.
  CHECK(tree.search().packages[0].found == Paths{"o/kustomization.yaml", "o/home/b/Chart.yaml",
                                                 "o/home/llama-1.0.0/llama/Chart.yaml"});
  CHECK(tree.search().files.empty());
  // Nor are they files where charts are not rendered.
  CHECK(tree.search({.overlays = true}).files.empty());
}

TEST_CASE("links within the repository are permitted, and a cycle of kustomizations ends") {
  Tree tree;
  tree.add("shared.yaml");
  tree.add("c/Chart.yaml");
  fs::create_symlink("../shared.yaml", "c/shared.yaml");
  tree.add("x/kustomization.yaml", "resources: [../y]\n");
  tree.add("y/kustomization.yaml", "resources: [../x]\n");
  tree.add("z/kustomization.yaml", "resources: [../x]\n");
  CHECK(tree.packages() == Paths{"c", "z"});
}

TEST_CASE("of a cycle of kustomizations, one is rendered, so that kustomize reports it") {
  Tree tree;
  tree.add("x/kustomization.yaml", "resources: [../y]\n");
  tree.add("y/kustomization.yaml", "resources: [../x]\n");
  CHECK(tree.packages() == Paths{"x"});
}

}  // namespace cnsched::packages::package_test
