#include "core/source/helm_chart.h"

#include <doctest/doctest.h>

#include "testdata/support.h"

namespace cnsched {

TEST_CASE("a chart's templates are all files below its directory 'templates'") {
  const test::TemporaryDirectory directory;
  directory.write("chart/Chart.yaml");
  CHECK(is_chart_template(directory.write("chart/templates/a.yaml")));
  CHECK(is_chart_template(directory.write("chart/templates/serving/gpu/a.yaml")));
  CHECK(is_chart_template(directory.write("chart/templates/templates/a.yaml")));
  CHECK_FALSE(is_chart_template(directory.write("chart/values.yaml")));
  CHECK_FALSE(is_chart_template(directory.write("chart/crds/a.yaml")));
  CHECK_FALSE(is_chart_template(directory.write("chart/sub/templates/a.yaml")));
  CHECK_FALSE(is_chart_template(directory.write("other/templates/a.yaml")));
}

TEST_CASE("finds the chart above the working directory") {
  const test::TemporaryDirectory directory;
  directory.write("chart/Chart.yaml");
  directory.write("chart/templates/a.yaml");
  const test::WorkingDirectory here(directory.root() / "chart" / "templates");
  CHECK(is_chart_template("a.yaml"));
  CHECK(is_chart_template("./a.yaml"));
  CHECK_FALSE(is_chart_template("<stdin>"));
}

}  // namespace cnsched
