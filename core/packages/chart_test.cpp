#include "core/packages/chart.h"
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

}  // namespace cnsched::packages::chart_test
