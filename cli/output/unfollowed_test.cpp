#include "cli/output/unknown_facts.h"
#include "testdata/support.h"

namespace cnsched::cli::unfollowed_test {

using UnfollowedKind = Unfollowed::Kind;
using SummaryLines = std::vector<std::string>;

TEST_CASE("the summary has one line for each tool whose sources were not followed") {
  const std::vector<Unfollowed> all = {
      {.kind = UnfollowedKind::chart, .path = "a", .templates = 18},
      {.kind = UnfollowedKind::chart, .path = "b", .templates = 1},
      {.kind = UnfollowedKind::template_file, .path = "c.yaml", .templates = 2},
      {.kind = UnfollowedKind::kustomization, .path = "prod"},
      {.kind = UnfollowedKind::application, .path = "apps.yaml", .line = 1, .name = "llama"},
      {.kind = UnfollowedKind::application, .path = "apps.yaml", .line = 9, .name = "bert"},
      {.kind = UnfollowedKind::application_set, .path = "apps.yaml", .line = 20},
      {.kind = UnfollowedKind::helm_release, .path = "flux.yaml", .line = 1},
      {.kind = UnfollowedKind::jsonnet, .path = "x.jsonnet"},
      {.kind = UnfollowedKind::jsonnet, .path = "x.libsonnet"},
      {.kind = UnfollowedKind::terraform, .path = "x.tf"}};
  CHECK(describe(all, "lint") ==
        SummaryLines{
            "19 Helm templates in 2 charts skipped (add --render helm)",
            "2 Helm templates skipped: lint what Helm renders, with 'helm template CHART | "
            "cnsched lint -'",
            "1 kustomization not built (add --render kustomize)",
            "2 Argo CD Applications and 1 Argo CD ApplicationSet not followed",
            "1 Flux HelmRelease not followed", "2 Jsonnet files and 1 Terraform file not read"});
  CHECK(describe(std::vector<Unfollowed>(), "lint").empty());
}

TEST_CASE("the list of what was skipped has the flag that includes it") {
  const std::vector<Unfollowed> all = {
      {.kind = UnfollowedKind::chart, .path = "charts/llama", .templates = 12},
      {.kind = UnfollowedKind::kustomization, .path = "prod"},
      {.kind = UnfollowedKind::application, .path = "apps.yaml", .line = 3, .name = "llama"}};
  std::ostringstream text;
  write_document(json_of(all), text);
  CHECK(text.str() == R"([
  {
    "kind": "helm-chart",
    "path": "charts/llama",
    "templates": 12,
    "flag": "--render helm"
  },
  {
    "kind": "kustomization",
    "path": "prod",
    "flag": "--render kustomize"
  },
  {
    "kind": "argo-cd-application",
    "path": "apps.yaml",
    "line": 3,
    "name": "llama"
  }
]
)");
}

}  // namespace cnsched::cli::unfollowed_test
