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
