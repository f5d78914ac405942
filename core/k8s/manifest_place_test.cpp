#include "core/k8s/manifest_place.h"
#include "testdata/support.h"

namespace cnsched::k8s::manifest_place_test {

TEST_CASE("files of tools, values and fixtures are no manifests") {
  for (const std::string path :
       {".github/workflows/ci.yaml", "a/.vscode/x.yaml", ".gitlab-ci.yml", "mkdocs.yml",
        "docs/mkdocs.insiders.yml", "docker-compose.yaml", "docker-compose-dev.yml",
        "docker/compose.yaml", "azure-pipelines.yml", "charts/a/Chart.yaml", "a/values.yaml",
        "a/values-prod.yaml", "a/prod.values.yaml", "a/helm-values/b.yaml", "a/values/b.yaml",
        "pkg/testdata/b.yaml", "test/fixtures/b.yaml", "Taskfile.yml", "openapi.yaml"}) {
    CAPTURE(path);
    CHECK(is_other_file(path, "a: ["));
  }
}

TEST_CASE("any other file may be a manifest") {
  for (const std::string path :
       {"a.yaml", "./a.yaml", "../a.yml", "<stdin>", "-", "", "/tmp/a.yaml", "test/a.yaml",
        "composer.yaml", "charts/a/templates/b.yaml", "evaluesx.yaml", "myvalues.yaml",
        "default-valuestore.yaml", "a/fixtures.yaml", "a/b.json.yaml"}) {
    CAPTURE(path);
    CHECK_FALSE(is_other_file(path, "a: ["));
  }
}

TEST_CASE("JSON is a manifest by its keys") {
  CHECK(is_other_file("tsconfig.json", "{// c\n}"));
  CHECK(is_other_file("a.json", R"({"kind": "x")"));
  CHECK_FALSE(is_other_file("a.json", R"({"apiVersion": "v1", "kind": "Service")"));
}

}  // namespace cnsched::k8s::manifest_place_test

namespace cnsched::k8s::snapshot_head_test {

TEST_CASE("finds the types that a snapshot could not read") {
  const std::string head = std::string(kSnapshotLine) +
                           "# Version of cnsched: 1\n# Not in the cluster:\n#   topologies\n";
  CHECK(unread_types(head + "---\n").empty());
  CHECK(unread_types(head +
                     "# Not read, because the user may not:\n#   persistentvolumes\n"
                     "# Not read, because kubectl failed:\n#   csinodes.storage.k8s.io\n---\n"
                     "#   nodes\n") ==
        std::vector<std::string_view>{"persistentvolumes", "csinodes.storage.k8s.io"});
  CHECK(unread_types("# Not read, because the user may not:\n#   nodes\n").empty());
  CHECK(unread_types(head + "# Not read, because kubectl failed:\n#   nodes") ==
        std::vector<std::string_view>{"nodes"});
}

}  // namespace cnsched::k8s::snapshot_head_test
