#include "core/packages/chart.h"
#include "core/packages/dependencies.h"
#include "core/source/path.h"
#include "testdata/support.h"

namespace cnsched::packages::chart_test {

TEST_CASE("a chart's templates are all files below its directory 'templates'") {
  const TemporaryDirectory directory;
  const std::string chart = directory_of(real_path(directory.write("chart/Chart.yaml")));
  CHECK(chart_of_template(directory.write("chart/templates/a.yaml")) == chart);
  CHECK(chart_of_template(directory.write("chart/templates/serving/gpu/a.yaml")) == chart);
  CHECK(chart_of_template(directory.write("chart/templates/templates/a.yaml")) == chart);
  CHECK(chart_of_template(directory.write("chart/values.yaml")) == "");
  CHECK(chart_of_template(directory.write("chart/crds/a.yaml")) == "");
  CHECK(chart_of_template(directory.write("chart/sub/templates/a.yaml")) == "");
  CHECK(chart_of_template(directory.write("other/templates/a.yaml")) == "");
}

TEST_CASE("finds the chart above the working directory") {
  const TemporaryDirectory directory;
  const std::string chart = directory_of(real_path(directory.write("chart/Chart.yaml")));
  directory.write("chart/templates/a.yaml");
  const WorkingDirectory here(directory.root() / "chart" / "templates");
  CHECK(chart_of_template("a.yaml") == chart);
  CHECK(chart_of_template("./a.yaml") == chart);
  CHECK(chart_of_template("<stdin>") == "");
}

TEST_CASE("a chart is named as the user has named its template") {
  const TemporaryDirectory directory;
  const std::string chart = directory_of(real_path(directory.write("charts/llama/Chart.yaml")));
  const std::string file = directory.write("charts/llama/templates/a.yaml");
  CHECK(name_of_chart(chart, file) == directory.path("charts/llama"));
  {
    const WorkingDirectory here(directory.root());
    CHECK(name_of_chart(chart, "charts/llama/templates/a.yaml") == "charts/llama");
  }
  const WorkingDirectory here(directory.root() / "charts" / "llama");
  CHECK(name_of_chart(chart, "templates/a.yaml") == ".");
  CHECK(name_of_chart(chart, "./templates/a.yaml") == ".");
  const WorkingDirectory below(directory.root() / "charts" / "llama" / "templates");
  CHECK(name_of_chart(chart, "a.yaml") == chart);
}

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

}  // namespace cnsched::packages::chart_test
