#include "core/packages/package_origins.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "testdata/support.h"

namespace cnsched::package_origins_test {

/// Prints templates as they are, with Helm's comment, and writes a line to "runs".
constexpr const char* kHelm = R"(#!/bin/sh
for chart; do :; done
echo "$chart" >>"${0%/*}/runs"
for file in "$chart"/templates/*.yaml; do
  printf -- '---\n# Source: chart/templates/%s\n' "${file##*/}"
  while IFS= read -r line; do echo "$line"; done <"$file"
done
)";

class RenderedChart {
 public:
  RenderedChart() {
    tree_.write("chart/Chart.yaml", "name: chart\n");
    tree_.write("chart/values.yaml", "a: b\n");
    tree_.write("chart/templates/x.yaml", "a: b\nc: d\n");
    tree_.write("chart/templates/NOTES.txt", "notes\n");
    options_.helm = tree_.write("helm", "#!/bin/sh\n");
    tree_.write("helm", kHelm);
    fs::permissions(options_.helm, fs::perms::owner_all);
  }

  std::string path(const std::string& name) const { return tree_.path(name); }
  std::size_t runs() const {
    const std::string text = fs::exists(tree_.path("runs")) ? read_all(tree_.path("runs")) : "";
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
  const RenderOptions& options() const { return options_; }

 private:
  TemporaryDirectory tree_;
  RenderOptions options_{};
};

TEST_CASE("the sources of a chart are its templates, values and CRDs") {
  const RenderedChart scene;
  std::vector<std::string> names;
  for (const PackageSource& source : sources_of({.path = scene.path("chart")})) {
    names.push_back(source.path.substr(scene.path("chart").size()));
  }
  CHECK(names == std::vector<std::string>{"/Chart.yaml", "/templates/NOTES.txt",
                                          "/templates/x.yaml", "/values.yaml"});
  CHECK(sources_of({.path = "archive.tgz"}).empty());
}

TEST_CASE("a chart is rendered a second time for its origins, once") {
  const RenderedChart scene;
  PackageOrigins origins(scene.options());
  const std::string text = "---\n# Source: chart/templates/x.yaml\na: b\nc: d\n";
  origins.add("rendered", {.path = scene.path("chart")}, text);
  CHECK(origins.sources().size() == 4);
  CHECK(scene.runs() == 0);
  origins.prepare({"other"});
  CHECK(scene.runs() == 0);
  origins.prepare({"rendered"});
  origins.prepare({"rendered"});
  CHECK(scene.runs() == 1);
  const SourceFile file(0, "rendered", text);
  const yaml::Document document = yaml::parse(file, yaml::split(file).back());
  const auto at = static_cast<std::uint32_t>(text.find("d\n"));
  const Origin origin = origins.of(file, document, {0, at, at + 1}, Aspect::value);
  CHECK(origin.place.path == scene.path("chart/templates/x.yaml"));
  CHECK(origin.place.begin == 8);
  CHECK(origin.is_literal);
}

TEST_CASE("of an archive the template is known") {
  PackageOrigins origins{RenderOptions{}};
  const std::string text = "---\n# Source: chart/templates/x.yaml\na: b\n";
  origins.add("rendered", {.path = "a/chart-1.tgz"}, text);
  origins.prepare({"rendered"});
  const SourceFile file(0, "rendered", text);
  const yaml::Document document = yaml::parse(file, yaml::split(file).back());
  const Origin origin = origins.of(file, document, {0, 40, 41}, Aspect::value);
  CHECK(origin.file == "a/chart-1.tgz:templates/x.yaml");
  CHECK(origin.place.path.empty());
}

}  // namespace cnsched::package_origins_test
