#include "rules/engine/variants.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::variants_test {

/// A pod with a toleration of this operator, and an empty line for each of `shift`.
std::string pod_with(const std::string& operation, int shift = 0) {
  return std::string(static_cast<std::size_t>(shift), '\n') +
         "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
         "  containers: [{name: c, image: x}]\n  tolerations:\n"
         "  - {key: a, operator: " +
         operation + "}\n";
}

MemoryFile variant_of(const std::string& chart, const std::string& name, const std::string& text) {
  return {.path = fmt::format("{}/<rendered {}>", chart, name),
          .bytes = text,
          .rendered = true,
          .variant = {chart, name}};
}

/// "path:line: message" for each finding of invalid-toleration.
std::vector<std::string> tolerations_in(std::vector<MemoryFile> files) {
  const auto workspace = workspace_of(std::move(files));
  std::vector<std::string> lines;
  const auto selection = *Selection::from({.select = {"invalid-toleration"}});
  for (const Diagnostic& each : run(*workspace, selection).findings) {
    const SourceFile& file = workspace->file_of(each.where);
    std::string line = fmt::format("{}:{}: {}", file.path(), file.line_of(each.where.begin),
                                   each.message.substr(0, each.message.find(" must")));
    for (const std::string& variant : each.variants) line += " +" + variant;
    lines.push_back(line);
  }
  return lines;
}

using FoundLines = std::vector<std::string>;

TEST_CASE("what is wrong in all variants of a chart is one finding, in the first") {
  const FoundLines found = tolerations_in(
      {variant_of("a", "dev", pod_with("exists", 2)), variant_of("a", "prod", pod_with("exists"))});
  REQUIRE(found.size() == 1);
  CHECK(found.front().starts_with("a/<rendered dev>:9: "));
  CHECK_FALSE(has(found.front(), "variant"));
}

TEST_CASE("what is wrong in some variants names them") {
  const FoundLines found = tolerations_in({variant_of("a", "dev", pod_with("Exists")),
                                           variant_of("a", "prod", pod_with("exists")),
                                           variant_of("a", "staging", pod_with("exists"))});
  REQUIRE(found.size() == 1);
  CHECK(found.front().starts_with("a/<rendered prod>:7: in variants 'prod' and 'staging': "));
  CHECK(found.front().ends_with(" +prod +staging"));
}

TEST_CASE("other messages, other lines and other charts are other findings") {
  CHECK(tolerations_in({variant_of("a", "dev", pod_with("exists")),
                        variant_of("a", "prod", pod_with("exist"))})
            .size() == 2);
  CHECK(tolerations_in({variant_of("a", "dev", pod_with("exists")),
                        variant_of("a", "prod", pod_with("exists") + "  # changed\n"),
                        variant_of("b", "prod", pod_with("exists"))})
            .size() == 2);
}

TEST_CASE("findings of other files are not repeated, nor labelled if they apply to all variants") {
  const FoundLines found = tolerations_in({variant_of("a", "dev", pod_with("Exists")),
                                           variant_of("a", "prod", pod_with("Exists")),
                                           {"pod.yaml", pod_with("exists")}});
  REQUIRE(found.size() == 1);
  CHECK(found.front().starts_with("pod.yaml:7: "));
  CHECK_FALSE(has(found.front(), "variant"));
  CHECK_FALSE(has(found.front(), '+'));
}

TEST_CASE("two mistakes of one message in one variant stay two") {
  const std::string two = pod_with("exists") + "---\n" + pod_with("exists");
  CHECK(tolerations_in({variant_of("a", "dev", two), variant_of("a", "prod", two)}).size() ==
        tolerations_in({{"a.yaml", two}}).size());
}

/// "error: message" for each finding of missing-field in a chart.
std::string missing_in(const std::string& container, bool is_default) {
  const auto workspace =
      workspace_of({{.path = "c/<rendered>",
                     .bytes = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
                              "  containers:\n  - name: c\n" +
                              container,
                     .rendered = true,
                     .variant = {.chart = "c", .is_release = true, .is_default = is_default}}});
  return joined(
      run(*workspace, *Selection::from({.select = {"missing-field"}})).findings,
      [](const Diagnostic& each) {
        return fmt::format("{}: {}", name_of(each.severity), each.message);
      },
      "; ");
}

TEST_CASE("an empty text of a chart is left to the values of a release") {
  const auto found = [](bool is_default) {
    const auto workspace = workspace_of(
        {{.path = "c/<rendered>",
          .bytes = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: server-}}\nspec:\n"
                   "  containers: [{name: c, image: c}]\n"
                   "  volumes:\n  - {name: '', emptyDir: {}}\n  - {name: '', emptyDir: {}}\n",
          .rendered = true,
          .variant = {.chart = "c", .is_release = true, .is_default = is_default}}});
    return joined(
        run(*workspace, *Selection::from({.select = {"invalid-label", "duplicate-list-key"}}))
            .findings,
        [](const Diagnostic& each) {
          return fmt::format("{}: {}", name_of(each.severity), each.message);
        },
        "; ");
  };
  CHECK(found(true) ==
        "info: with the chart's own values, invalid label value 'server-': it ends with '-', not "
        "with a letter or digit; info: duplicate item of 'volumes' with name '': with the chart's "
        "own values, the API server rejects the object");
  CHECK(found(false) ==
        "error: invalid label value 'server-': it ends with '-', not with a letter or digit; "
        "error: duplicate item of 'volumes' with name '': the API server rejects the object");
}

TEST_CASE("what a chart leaves to the values of a release is an info") {
  CHECK(missing_in("    image: \n", true) ==
        "info: no value in required field 'spec.containers[].image': with the chart's own values, "
        "the API server rejects the object");
  CHECK(missing_in("", true) ==
        "info: missing required field 'spec.containers[].image': with the chart's own values, the "
        "API server rejects the object");
  CHECK(missing_in("    image: \n", false) ==
        "error: no value in required field 'spec.containers[].image': the API server rejects the "
        "object");
  CHECK(missing_in("    image: x\n    ports: [{name: http}]\n", true) ==
        "error: missing required field 'spec.containers[].ports[].containerPort': the API server "
        "rejects the object");
}

}  // namespace cnsched::rules::variants_test
