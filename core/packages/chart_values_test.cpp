#include "core/packages/chart_values.h"
#include "testdata/support.h"

namespace cnsched::chart_values_test {

ValuePath path(std::initializer_list<ValueStep> steps, std::vector<std::string> charts = {}) {
  return {std::move(charts), steps};
}

const std::vector<PackageSource> kSources = {
    {"c/values.yaml",
     "a: {b: 1, d: 5}\nl: [x, y]\nmodel: {size: big}\nglobal: {zone: z}\ns: text\n"},
    {"c/Chart.yaml", "name: c\ndependencies: [{name: model, alias: small}, {name: model}]\n"},
    {"c/charts/model/values.yaml", "size: default\nother: 2\nglobal: {zone: y, rack: r}\n"},
};

/// "FILE:TEXT" of the value, or why there is none.
std::string found(const ChartValues& values, const ValuePath& path) {
  const auto value = values.find(path);
  if (!value) return "none";
  return value->is_set ? "set" : value->path + ":" + std::string(value->node->text());
}

TEST_CASE("a value is found where it is written") {
  const ChartValues values("c", kSources, {}, {});
  CHECK(found(values, path({{"a"}, {"b"}})) == "c/values.yaml:1");
  CHECK(found(values, path({{"l"}, {.index = 1, .is_item = true}})) == "c/values.yaml:y");
  CHECK(found(values, path({{"l"}, {.index = 2, .is_item = true}})) == "none");
  CHECK(found(values, path({{"a"}, {"c"}})) == "none");
  CHECK(found(values, path({{"s"}, {"b"}})) == "none");
}

TEST_CASE("the values file that is named last counts") {
  const TemporaryDirectory tree;
  const std::vector<std::string> files = {tree.write("1.yaml", "a: {b: 2, c: 3}\n"),
                                          tree.write("2.yaml", "a: {b: 4}\nl: [z]\n")};
  const ChartValues values("c", kSources, files, {});
  CHECK(found(values, path({{"a"}, {"b"}})) == files[1] + ":4");
  CHECK(found(values, path({{"a"}, {"c"}})) == files[0] + ":3");
  CHECK(found(values, path({{"a"}, {"d"}})) == "c/values.yaml:5");
  // A list replaces another one as a whole.
  CHECK(found(values, path({{"l"}, {.index = 1, .is_item = true}})) == "none");
}

TEST_CASE("a value of the command line is in no file") {
  const std::vector<std::string> sets = {"a.b=9,model.size=x", "l[0]=z", "q\\.r=1"};
  const ChartValues values("c", kSources, {}, sets);
  CHECK(found(values, path({{"a"}, {"b"}})) == "set");
  CHECK(found(values, path({{"a"}, {"d"}})) == "c/values.yaml:5");
  CHECK(found(values, path({{"l"}, {.index = 0, .is_item = true}})) == "set");
  CHECK(found(values, path({{"q.r"}})) == "set");
  CHECK(found(values, path({{"size"}}, {"model"})) == "set");
}

TEST_CASE("the parent's values of a sub-chart count before its own") {
  const ChartValues values("c", kSources, {}, {});
  CHECK(found(values, path({{"size"}}, {"model"})) == "c/values.yaml:big");
  CHECK(found(values, path({{"other"}}, {"model"})) == "c/charts/model/values.yaml:2");
  CHECK(found(values, path({{"size"}}, {"small"})) == "c/charts/model/values.yaml:default");
  CHECK(found(values, path({{"global"}, {"zone"}}, {"model"})) == "c/values.yaml:z");
  CHECK(found(values, path({{"global"}, {"rack"}}, {"model"})) == "c/charts/model/values.yaml:r");
  const std::vector<std::string> alias = {"small"};
  CHECK(values.directory_of_chart(alias) == "c/charts/model");
}

TEST_CASE("null removes what files have that are read earlier") {
  const TemporaryDirectory tree;
  const std::vector<std::string> removed = {tree.write("1.yaml", "a: null\n")};
  const ChartValues values("c", kSources, removed, {});
  CHECK(found(values, path({{"a"}, {"b"}})) == "none");
  // A mapping that is read later takes the place of null, and the defaults are merged into it.
  const std::vector<std::string> replaced = {removed[0], tree.write("2.yaml", "a: {c: 3}\n")};
  const ChartValues others("c", kSources, replaced, {});
  CHECK(found(others, path({{"a"}, {"b"}})) == "c/values.yaml:1");
  CHECK(found(others, path({{"a"}, {"c"}})) == replaced[1] + ":3");
}

TEST_CASE("the keys of a mapping are those of all files") {
  const TemporaryDirectory tree;
  const std::vector<std::string> files = {tree.write("1.yaml", "a: {z: 1, b: null, c: 2}\n")};
  const ChartValues values("c", kSources, files, {});
  std::string keys;
  for (const ValueStep& step : values.steps_below(path({{"a"}}))) keys += step.key + " ";
  CHECK(keys == "c d z ");
  CHECK(values.steps_below(path({{"l"}})).size() == 2);
}

TEST_CASE("global values of a sub-chart may be in the values of its parent") {
  const std::vector<PackageSource> sources = {
      {"c/Chart.yaml", "name: c\n"},
      {"c/values.yaml", "s: {global: {x: 1, y: 1}}\nglobal: {y: 1}\n"},
      {"c/charts/s/values.yaml", "global: {x: 1, y: 1, z: 1}\nk: 1\n"}};
  const ChartValues values("c", sources, {}, {});
  const auto line = [&](const ValuePath& at) { return values.find(at)->node->span.begin; };
  CHECK(values.find(path({{"global"}, {"x"}}, {"s"}))->path == "c/values.yaml");
  CHECK(line(path({{"global"}, {"y"}}, {"s"})) > 26);
  CHECK(values.find(path({{"global"}, {"z"}}, {"s"}))->path == "c/charts/s/values.yaml");
  // The parent sees the values of its sub-charts.
  CHECK(values.find(path({{"s"}, {"k"}}))->path == "c/charts/s/values.yaml");
}

TEST_CASE("whether a condition takes a value") {
  const std::vector<PackageSource> sources = {
      {"c/values.yaml", "e: ''\nq: 'false'\nf: false\nz: 0\nn: null\nl: []\nm: {}\nt: text\n"}};
  const ChartValues values("c", sources, {}, {});
  for (const char* name : {"e", "f", "z", "n", "l"}) CHECK(values.is_true(path({{name}})) == false);
  for (const char* name : {"q", "t"}) CHECK(values.is_true(path({{name}})) == true);
  for (const char* name : {"m", "other"}) CHECK_FALSE(values.is_true(path({{name}})));
}

}  // namespace cnsched::chart_values_test
