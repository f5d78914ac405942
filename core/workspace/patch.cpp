#include "core/workspace/patch.h"

#include <algorithm>

#include "core/kserve/runtime.h"

namespace cnsched {

namespace {

using yaml::Node;

/// Whether Seldon's CRDs require a field that the object does not have.
bool lacks_config(const k8s::Object& object) {
  if (object.is("mlops.seldon.io", "Server")) return object.spec()["serverConfig"].is_empty();
  return object.is("mlops.seldon.io", "SeldonRuntime") && object.spec()["seldonConfig"].is_empty();
}

bool has_image(const Node* container) { return !(*container)["image"].text().empty(); }

/// Whether the pod says what it runs.
bool says_what_runs(const Workload& workload) {
  const Node& written = *workload.written;
  if (std::ranges::any_of(written["containers"].items(), has_image)) return true;
  const k8s::Object& object = *workload.object;
  if (object.kind == "LLMInferenceService") return object.spec()["model"]["uri"].is_scalar();
  if (object.kind == "SeldonDeployment") {
    return !object.spec()["predictors"].items().empty() &&
           (*object.spec()["predictors"].items().front())["graph"].is_mapping();
  }
  const Node& block = kserve::framework_block(written);
  if (!block) return false;
  return block.key()->text() != "model" || block["modelFormat"].is_mapping();
}

}  // namespace

bool is_patch(const Workload& workload, const ClusterScope& scope) {
  const k8s::Object& object = *workload.object;
  if (scope.is_patch(object) || lacks_config(object)) return true;
  const bool merges_by_itself =
      object.kind == "InferenceGraph" || object.group() == "mlops.seldon.io" || workload.fragment;
  return !merges_by_itself && !says_what_runs(workload) && scope.index().contains_another(object);
}

}  // namespace cnsched
