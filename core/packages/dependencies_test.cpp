#include "core/packages/dependencies.h"
#include "testdata/support.h"

namespace cnsched::packages::dependencies_test {

const std::string kDependentChart =
    "name: llama\ndependencies:\n- name: serving\n  repository: https://a.invalid\n- name: gpu\n";

TEST_CASE("a dependency that is not in charts/ is missing, at its line") {
  const WorkingTree tree;
  tree.write("llama/Chart.yaml", kDependentChart);
  tree.write("llama/charts/a-folder/Chart.yaml", "name: serving\n");
  const auto missing = missing_dependency("llama");
  REQUIRE(missing);
  CHECK(missing->path == "llama/Chart.yaml");
  CHECK(missing->line == 5);
  CHECK(missing->reason ==
        "the dependency 'gpu' is not in charts/ (run 'helm dependency build llama'): the chart is "
        "not rendered");
  tree.write("llama/charts/gpu/Chart.yaml", "name: gpu\n");
  CHECK_FALSE(missing_dependency("llama"));
}

TEST_CASE("an archive in charts/ is a dependency by its name; Helm decides about other names") {
  const WorkingTree tree;
  tree.write("llama/Chart.yaml", kDependentChart);
  tree.write("llama/charts/serving-0.1.0.tgz");
  CHECK(missing_dependency("llama")->line == 5);
  tree.write("llama/charts/download.tgz");
  CHECK_FALSE(missing_dependency("llama"));
}

TEST_CASE("a dependency named with file:// that is there is not missing") {
  const WorkingTree tree;
  tree.write("a/Chart.yaml",
             "dependencies:\n- {name: b, repository: file://../b}\n"
             "- {name: ../c, repository: file://../b}\n");
  CHECK(missing_dependency("a")->line == 2);
  CHECK(local_dependencies("a").empty());
  tree.write("b/Chart.yaml", "name: b\n");
  CHECK(missing_dependency("a")->line == 3);  // its name would leave charts/
  const auto found = local_dependencies("a");
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "b");
  CHECK(found[0].directory == "b");
}

TEST_CASE("a chart without dependencies misses none") {
  const WorkingTree tree;
  for (const char* text : {"name: a\n", "", "dependencies: 1\n", "dependencies: [a, 1, {}]\n",
                           "a: [\n", "dependencies: [{name: {}}]\n"}) {
    CAPTURE(text);
    tree.write("Chart.yaml", text);
    CHECK_FALSE(missing_dependency("."));
  }
  CHECK_FALSE(missing_dependency("nowhere"));
}

}  // namespace cnsched::packages::dependencies_test
