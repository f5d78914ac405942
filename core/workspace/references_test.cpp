#include "core/workspace/references.h"
#include "testdata/support.h"

namespace cnsched::references_test {

/// "vllm -> ServingRuntime vllm", for each reference of each object with the name.
std::vector<std::string> found(const ClusterScope& scope, std::string_view name) {
  std::vector<std::string> all;
  for (const k8s::Object& object : scope.objects()) {
    if (object.name != name) continue;
    for (const Reference& reference : references_of(object, scope)) {
      for (const k8s::Object* target : reference.targets(scope, 2)) {
        CHECK(reference.is_to(*target, scope));
        all.push_back(
            fmt::format("{} -> {} {}", reference.field->text(), target->kind, target->name));
      }
    }
  }
  std::ranges::sort(all);
  return all;
}

using Found = std::vector<std::string>;

TEST_CASE("references lead from fields to the objects that they name") {
  const auto workspace =
      workspace_of({{"services.yaml", project_text("testdata/references/services.yaml")},
                    {"targets.yaml", project_text("testdata/references/targets.yaml")}});
  const ClusterScope& scope = scope_of(*workspace);
  CHECK(found(scope, "llama") ==
        Found{"cache -> PersistentVolumeClaim cache", "gpus -> LocalQueue gpus",
              "high -> PriorityClass high", "huggingface -> ServingRuntime vllm",
              "large -> HardwareProfile large", "nvidia -> RuntimeClass nvidia",
              "pvc://models/llama -> PersistentVolumeClaim models", "vllm -> ServingRuntime vllm"});
  CHECK(found(scope, "iris") == Found{"sklearn -> ClusterServingRuntime sklearn"});
  CHECK(found(scope, "chain") == Found{"iris -> InferenceService iris"});
  CHECK(found(scope, "llm") == Found{"preset -> LLMInferenceServiceConfig preset"});
  CHECK(found(scope, "model") == Found{"mlserver -> Server mlserver"});
  CHECK(found(scope, "mlserver") == Found{"config -> ServerConfig config"});
  CHECK(found(scope, "test") == Found{"one -> Pipeline one"});
  CHECK(found(scope, "gpus") == Found{"all -> ClusterQueue all"});
}

TEST_CASE("a reference leads to all objects of the name if several are equally near") {
  const std::string server =
      "apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nmetadata: {name: mlserver}\n";
  const auto workspace = workspace_of(
      {{"a.yaml",
        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Model\nmetadata: {name: m, namespace: x}\n"
        "spec: {server: mlserver}\n"},
       {"dev/b.yaml", server},
       {"prod/c.yaml", server}});
  CHECK(found(scope_of(*workspace), "m") ==
        Found{"mlserver -> Server mlserver", "mlserver -> Server mlserver"});
}

}  // namespace cnsched::references_test
