#include "core/workspace/cluster_scope.h"
#include "testdata/support.h"

namespace cnsched::cluster_scope_test {

std::string features_map(const std::string& state) {
  return fmt::format(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: config-features, namespace: "
      "knative-serving}}\ndata: {{kubernetes.podspec-nodeselector: {}}}\n",
      state);
}

constexpr const char* kLlama =
    "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: llama\n"
    "  annotations: {serving.kserve.io/deploymentMode: Serverless}\nspec:\n  predictor:\n"
    "    nodeSelector: {pool: gpu}\n    model: {modelFormat: {name: onnx}}\n";

/// "clusters/dev llama accepted": for each scope its linted pods, and what Knative does with them.
std::string verdicts(const Workspace& workspace) {
  auto pods = all_workloads(workspace);
  std::erase_if(pods, [](const Workload* pod) { return !pod->scope->is_linted(*pod->object); });
  return joined(
      pods,
      [](const Workload* pod) {
        return fmt::format("{}: {}", pod->scope->name(),
                           pod->unaccepted_by_knative.empty() ? "accepted"
                           : pod->never_created               ? "rejected"
                                                              : "unknown");
      },
      ", ");
}

std::string verdicts(std::vector<MemoryFile> files) {
  return verdicts(*workspace_of(std::move(files)));
}

TEST_CASE("facts of one cluster do not apply to another") {
  CHECK(verdicts({{"clusters/dev/features.yaml", features_map("enabled")},
                  {"clusters/dev/llama.yaml", kLlama},
                  {"clusters/prod/features.yaml", features_map("disabled")},
                  {"clusters/prod/llama.yaml", kLlama}}) ==
        "clusters/dev: accepted, clusters/prod: rejected");
  CHECK(verdicts({{"clusters/dev/features.yaml", features_map("enabled")},
                  {"clusters/dev/llama.yaml", kLlama},
                  {"clusters/prod/llama.yaml", kLlama}}) ==
        "clusters/dev: accepted, clusters/prod: unknown");
}

TEST_CASE("facts beside the manifests of one cluster apply") {
  CHECK(verdicts({{"platform/features.yaml", features_map("enabled")},
                  {"models/llama.yaml", kLlama}}) == ": accepted");
}

TEST_CASE("a manifest outside of every scope is judged in each") {
  CHECK(verdicts({{"dev/features.yaml", features_map("enabled")},
                  {"llama.yaml", kLlama},
                  {"prod/features.yaml", features_map("disabled")}}) ==
        "dev: accepted, prod: rejected");
}

TEST_CASE("a fact of a cluster overrides the one above its directory") {
  const std::vector<MemoryFile> files = {{"features.yaml", features_map("enabled")},
                                         {"llama.yaml", kLlama},
                                         {"staging/features.yaml", features_map("disabled")},
                                         {"staging/llama.yaml", kLlama}};
  CHECK(verdicts(files) == ".: accepted, staging: rejected");
}

TEST_CASE("fixtures of tests are no facts for the manifests beside them") {
  CHECK(verdicts({{"models/llama.yaml", kLlama},
                  {"operator/testdata/features.yaml", features_map("disabled")}}) == ": unknown");
  CHECK(verdicts({{"features.yaml", features_map("enabled")},
                  {"llama.yaml", kLlama},
                  {"pkg/fixtures/features.yaml", features_map("disabled")}}) == ": accepted");
  CHECK(verdicts({{"testdata/a/features.yaml", features_map("disabled")},
                  {"testdata/llama.yaml", kLlama}}) == ": rejected");
}

TEST_CASE("facts of --cluster files apply to every scope") {
  CHECK(verdicts({{"dev/nodes.yaml", features_map("enabled")},
                  {"dev/llama.yaml", kLlama},
                  {"prod/llama.yaml", kLlama},
                  {"given.yaml", features_map("enabled"), false}}) ==
        "dev: accepted, prod: accepted");
}

TEST_CASE("overlays of one base have their own facts") {
  CHECK(verdicts({{"base/kustomization.yaml", "resources: [llama.yaml]\n"},
                  {"base/llama.yaml", kLlama},
                  {"overlays/dev/kustomization.yaml", "resources: [../../base, features.yaml]\n"},
                  {"overlays/dev/features.yaml", features_map("enabled")},
                  {"overlays/prod/kustomization.yaml", "resources: [../../base, features.yaml]\n"},
                  {"overlays/prod/features.yaml", features_map("disabled")},
                  {"overlays/lab/kustomization.yaml", "resources: [features.yaml]\n"},
                  {"overlays/lab/features.yaml", features_map("disabled")}}) ==
        "overlays/dev: accepted, overlays/prod: rejected");
}

TEST_CASE("a patch in an overlay overrides the flags of its base") {
  const std::string patch = "patches: [{path: patch.yaml}]\nresources: [../../base]\n";
  CHECK(verdicts({{"base/features.yaml", features_map("enabled")},
                  {"base/kustomization.yaml", "resources: [features.yaml, llama.yaml]\n"},
                  {"base/llama.yaml", kLlama},
                  {"overlays/dev/kustomization.yaml", "resources: [../../base]\n"},
                  {"overlays/dev/llama.yaml", kLlama},
                  {"overlays/prod/kustomization.yaml", patch},
                  {"overlays/prod/patch.yaml", features_map("disabled")}}) ==
        "overlays/dev: accepted, overlays/dev: accepted, overlays/prod: rejected");
}

TEST_CASE("clusters of the configuration take the place of directories") {
  const auto holds = [](const char* prefix) {
    return [prefix](const std::string& path) { return path.starts_with(prefix); };
  };
  Workspace workspace;
  workspace.load({.memory_files = {{"one/features.yaml", features_map("enabled")},
                                   {"one/llama.yaml", kLlama},
                                   {"other/llama.yaml", kLlama},
                                   {"shared/llama.yaml", kLlama}},
                  .clusters = {{"first", holds("one/")}, {"second", holds("other/")}}});
  CHECK(verdicts(workspace) ==
        "first: accepted, first: accepted, second: unknown, second: unknown");
  Workspace again;
  again.load_edited(workspace, {{"one/features.yaml", features_map("disabled")}});
  CHECK(verdicts(again) == "first: rejected, first: rejected, second: unknown, second: unknown");
}

/// "clusters/prod llama: own": for each pod of a scope after the first, whether it is its own.
std::string makers(std::vector<MemoryFile> files) {
  const auto workspace = workspace_of(std::move(files));
  auto pods = all_workloads(*workspace);
  std::erase_if(pods, [&](const Workload* pod) {
    return pod->scope == &workspace->scopes().front() || !pod->scope->is_linted(*pod->object);
  });
  return joined(
      pods,
      [](const Workload* pod) {
        return fmt::format("{} {}: {}", pod->scope->name(), pod->object->name,
                           pod->like == nullptr ? "own" : "alike");
      },
      ", ");
}

TEST_CASE("a scope takes the pods of an earlier one whose controllers read the same") {
  constexpr const char* kServer =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: server}\nspec: {template: {spec: "
      "{containers: [{name: a, image: b}]}}}\n";
  constexpr const char* kRuntime =
      "apiVersion: serving.kserve.io/v1alpha1\nkind: ClusterServingRuntime\nmetadata: {name: "
      "onnx}\n"
      "spec: {supportedModelFormats: [{name: onnx, autoSelect: true}], containers: [{name: "
      "kserve-container, image: c}]}\n";
  const auto makers_with = [&](const std::string& dev, const std::string& prod,
                               std::vector<MemoryFile> more = {}) {
    more.push_back({"clusters/dev/features.yaml", features_map(dev)});
    more.push_back({"clusters/prod/features.yaml", features_map(prod)});
    more.push_back({"llama.yaml", kLlama});
    more.push_back({"server.yaml", kServer});
    return makers(std::move(more));
  };
  CHECK(makers_with("enabled", "disabled") ==
        "clusters/prod llama: own, clusters/prod server: alike");
  CHECK(makers_with("enabled", "enabled", {{"runtime.yaml", kRuntime}}) ==
        "clusters/prod onnx: own, clusters/prod llama: own, clusters/prod server: alike");
  CHECK(makers({{"clusters/dev/runtime.yaml", kRuntime},
                {"clusters/prod/features.yaml", features_map("enabled")},
                {"llama.yaml", kLlama}}) == "clusters/prod llama: own");
}

}  // namespace cnsched::cluster_scope_test
