#include "core/workspace/scope_contents.h"
#include "testdata/support.h"

namespace cnsched::scope_contents_test {

MemoryFile rendered_as(const std::string& chart, const std::string& variant,
                       const std::string& name) {
  return {.path = fmt::format("{}/<rendered {}>", chart, variant),
          .bytes = fmt::format("apiVersion: v1\nkind: Pod\nmetadata: {{name: {}}}\n"
                               "spec: {{containers: [{{name: c, image: x}}]}}\n",
                               name),
          .rendered = true,
          .variant = {chart, variant}};
}

/// "prod: a b!": the objects of each scope, with '!' those that it judges.
std::vector<std::string> scopes_of(const Workspace& workspace) {
  std::vector<std::string> lines;
  for (const ClusterScope& scope : workspace.scopes()) {
    std::string line = fmt::format("{} {}:", scope.name(), scope.variant());
    for (const k8s::Object& object : scope.objects()) {
      line += fmt::format(" {}{}", object.name, scope.is_linted(object) ? "!" : "");
    }
    lines.push_back(line);
  }
  return lines;
}

const std::string kPlainPod = "apiVersion: v1\nkind: Pod\nmetadata: {name: plain}\n";

using ScopeLines = std::vector<std::string>;

TEST_CASE("each variant has a scope, with the objects of all other files") {
  const auto workspace = workspace_of({{"pod.yaml", kPlainPod},
                                       rendered_as("a", "dev", "a-dev"),
                                       rendered_as("a", "prod", "a-prod"),
                                       rendered_as("b", "prod", "b-prod"),
                                       rendered_as("b", "staging", "b-staging"),
                                       rendered_as("c", "", "c")});
  CHECK(scopes_of(*workspace) == ScopeLines{" dev: plain! a-dev! b-prod c!",
                                            " prod: plain! a-prod! b-prod! c!",
                                            " staging: plain! a-dev b-staging! c!"});
}

TEST_CASE("without variants there is one scope") {
  const auto workspace = workspace_of({{"pod.yaml", kPlainPod}, rendered_as("c", "", "c")});
  CHECK(scopes_of(*workspace) == ScopeLines{" : plain! c!"});
}

std::string cluster_config(const std::string& name) {
  return fmt::format(
      "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {{name: {}}}\n"
      "nodeGroups: [{{name: a}}]\n---\n",
      name);
}

TEST_CASE("each cluster of one file has a scope, and what is beside it is for none") {
  const std::string both = cluster_config("a") + cluster_config("b");
  CHECK(scopes_of(*workspace_of({{"all.yaml", both + kPlainPod}})) ==
        ScopeLines{". : plain!", "all.yaml:a : a!", "all.yaml:b : b!"});
  CHECK(scopes_of(*workspace_of({{"all.yaml", both}, {"c.yaml", cluster_config("c")}})) ==
        ScopeLines{". :", "all.yaml:a : a!", "all.yaml:b : b!", "c.yaml : c!"});
  CHECK(scopes_of(*workspace_of({{"all.yaml", cluster_config("a") + cluster_config("a")}})) ==
        ScopeLines{" : a! a!"});
}

TEST_CASE("says why facts are taken for those of a cluster, where that is a guess") {
  const std::string node = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n";
  LoadOptions options = {.memory_files = {{"a/node.yaml", node},
                                          {"a/pod.yaml", kPlainPod},
                                          {"b/node.yaml", node},
                                          {"pod.yaml", kPlainPod},
                                          {"facts.yaml", node, false}}};
  Workspace guessed;
  guessed.load(options);
  const ClusterScope& a = guessed.scopes().front();
  CHECK(a.why_of_cluster(1, 0) == "cluster 'a' is guessed: both files are in that directory");
  CHECK(a.why_of_cluster(3, 0) == "cluster 'a' is guessed: pod.yaml is in no cluster's directory");
  CHECK(a.why_of_cluster(1, 4) == "");
  CHECK(a.why_of_cluster(0, 0) == "");

  options.clusters = {{"a", [](const std::string& path) { return path.starts_with("a/"); }},
                      {"b", [](const std::string& path) { return path.starts_with("b/"); }}};
  Workspace stated;
  stated.load(options);
  CHECK(stated.scopes().front().why_of_cluster(1, 0) == "");
}

TEST_CASE("a workload names its variant, if there are several") {
  const auto several = workspace_of({rendered_as("a", "dev", "x"), rendered_as("a", "prod", "x")});
  const auto workloads = all_workloads(*several);
  REQUIRE(workloads.size() == 2);
  CHECK(variant_name(*workloads[1]) == "prod");
  CHECK(describe_scope(*workloads[1]->scope) == "variant 'prod'");
  const auto one = workspace_of({rendered_as("a", "dev", "x")});
  CHECK(variant_name(*all_workloads(*one).front()) == "");
  CHECK(describe_scope(one->scopes().front()) == "");
}

}  // namespace cnsched::scope_contents_test
