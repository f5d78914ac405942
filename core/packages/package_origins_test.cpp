#include "core/packages/package_origins.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "testdata/support.h"

namespace cnsched::packages::package_origins_test {

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

/// The question for the first `text` after the comment `# Source:`.
class Question {
 public:
  Question(const std::string& name, const std::string& rendered, const std::string& text)
      : file_(0, name, rendered), document_(yaml::parse(file_, yaml::split(file_).back())) {
    const auto at = static_cast<std::uint32_t>(rendered.find(text, rendered.find(".yaml")));
    question_ = {&file_, &document_, {0, at, at + static_cast<std::uint32_t>(text.size())}};
  }
  const OriginQuestion& operator*() const { return question_; }

 private:
  SourceFile file_;
  yaml::Document document_;
  OriginQuestion question_;
};

TEST_CASE("a chart is rendered again for its origins, each asked for once") {
  const RenderedChart scene;
  PackageOrigins origins(scene.options());
  const std::string text = "---\n# Source: chart/templates/x.yaml\na: b\nc: d\n";
  origins.add("rendered", {.path = scene.path("chart")}, text);
  CHECK(origins.sources().size() == 4);
  CHECK(scene.runs() == 0);
  const Question question("rendered", text, "d");
  const std::vector<OriginQuestion> questions = {*question};
  origins.prepare(questions);
  const std::size_t runs = scene.runs();
  CHECK(runs > 0);
  origins.prepare(questions);
  CHECK(scene.runs() == runs);
  const Origin origin = origins.of(*question);
  CHECK(origin.place.path == scene.path("chart/templates/x.yaml"));
  CHECK(origin.place.begin == 8);
  CHECK(origin.is_literal);
}

TEST_CASE("of an archive the template is known") {
  PackageOrigins origins{RenderOptions{}};
  const std::string text = "---\n# Source: chart/templates/x.yaml\na: b\n";
  origins.add("rendered", {.path = "a/chart-1.tgz"}, text);
  const Question question("rendered", text, "b");
  origins.prepare({{*question}});
  const Origin origin = origins.of(*question);
  CHECK(origin.file == "a/chart-1.tgz:templates/x.yaml");
  CHECK(origin.place.path.empty());
}

}  // namespace cnsched::packages::package_origins_test
