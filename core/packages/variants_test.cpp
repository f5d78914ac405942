#include "core/packages/variants.h"
#include "testdata/support.h"

namespace cnsched::packages::variants_test {

/// A repository with one chart, and what its packages are with some settings.
struct ChartRepository : Repository {
  ChartRepository() { write("llama/Chart.yaml"); }

  static PackageSearch with(const RenderSettings& settings) {
    PackageSearch search{.packages = {{Package::Kind::chart, "llama"}}};
    add_variants(settings, search);
    return search;
  }

  /// "prod: a.yaml b.yaml" for each package.
  static std::vector<std::string> variants(const RenderSettings& settings) {
    std::vector<std::string> found;
    for (const Package& package : with(settings).packages) {
      std::string line = package.variant.name + ":";
      for (const std::string& file : package.variant.values) line += " " + file;
      found.push_back(line);
    }
    return found;
  }
};

using VariantLines = std::vector<std::string>;

TEST_CASE("a chart is rendered once for each variant, and without variants as it is") {
  const ChartRepository repository;
  CHECK(ChartRepository::variants({}) == VariantLines{":"});
  CHECK(
      ChartRepository::variants({.charts = {{"./llama/", {{.name = "dev"}, {.name = "prod"}}}}}) ==
      VariantLines{"dev:", "prod:"});
  CHECK(ChartRepository::variants({.charts = {{"bert", {{.name = "dev"}}}}}) == VariantLines{":"});
}

TEST_CASE("values files in the chart are variants named after the file") {
  ChartRepository repository;
  repository.write("llama/values.yaml");
  repository.write("llama/values-prod.yaml");
  repository.write("llama/ci/gpu-values.yaml");
  repository.write("llama/charts/sub/Chart.yaml");
  repository.write("llama/charts/sub/ci/values.yaml");
  CHECK(
      ChartRepository::variants({.values_files = {"values-*.yaml", "ci/*.yaml", "**/ci/*.yaml"}}) ==
      VariantLines{"ci-gpu-values: llama/ci/gpu-values.yaml",
                   "values-prod: llama/values-prod.yaml"});
  CHECK(ChartRepository::variants(
            {.values_files = {"ci/*"}, .charts = {{"llama", {{.name = "default"}}}}}) ==
        VariantLines{"default:", "ci-gpu-values: llama/ci/gpu-values.yaml"});
  CHECK(ChartRepository::variants({.values_files = {"none/*"}}) == VariantLines{":"});
}

TEST_CASE("variants of one name are distinguished") {
  ChartRepository repository;
  repository.write("llama/ci/a.yaml");
  repository.write("llama/ci-a.yaml");
  CHECK(ChartRepository::variants({.values_files = {"ci/*", "ci-*"}}) ==
        VariantLines{"ci-a: llama/ci-a.yaml", "ci-a-file: llama/ci/a.yaml"});
}

TEST_CASE("a values file that a link leads out of the repository is rejected") {
  const TemporaryDirectory outside;
  outside.write("secret.yaml");
  const ChartRepository repository;
  fs::create_symlink(outside.path("secret.yaml"), "prod.yaml");
  fs::create_directory_symlink(outside.root(), "envs");
  for (const char* file : {"prod.yaml", "envs/secret.yaml"}) {
    CAPTURE(file);
    const PackageSearch found =
        ChartRepository::with({.charts = {{"llama", {{.name = "prod", .values = {file}}}}}});
    CHECK(found.packages.empty());
    REQUIRE(found.rejected.size() == 1);
    CHECK(found.rejected.front().path == file);
    CHECK(found.rejected.front().reason ==
          "the link leads out of the repository: variant 'prod' of 'llama' is not rendered");
  }
  CHECK(
      ChartRepository::with({.charts = {{"llama", {{.name = "prod", .values = {"missing.yaml"}}}}}})
          .rejected.empty());
  // The user has named it.
  CHECK(ChartRepository::with(
            {.charts = {{"llama", {{.name = "prod", .values = {outside.path("secret.yaml")}}}}}})
            .rejected.empty());
}

TEST_CASE("a chart that does not exist and too many variants are reported") {
  ChartRepository repository;
  const PackageSearch missing = ChartRepository::with({.charts = {{"lama", {{.name = "a"}}}}});
  REQUIRE(missing.rejected.size() == 1);
  CHECK(missing.rejected.front().path == "lama");
  for (int i = 0; i < 101; ++i) repository.write(fmt::format("llama/ci/{}.yaml", i));
  const PackageSearch found = ChartRepository::with({.values_files = {"ci/*"}});
  REQUIRE(found.rejected.size() == 1);
  CHECK(found.packages.empty());
  CHECK(found.rejected.front().reason == "has more than 100 variants: not rendered");
}

}  // namespace cnsched::packages::variants_test
