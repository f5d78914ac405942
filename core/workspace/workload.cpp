#include "core/workspace/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/base/text.h"
#include "core/k8s/scope.h"
#include "core/kserve/fields.h"
#include "core/kserve/go_template.h"
#include "core/kserve/hardware_profile.h"
#include "core/kserve/runtime.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched {

bool Workload::may_be_serverless() const {
  if (mode.mode == kserve::DeploymentMode::knative) return true;
  if (mode.mode != kserve::DeploymentMode::unknown) return false;
  const Span whole = object->root->span;
  return mode.node == nullptr || mode.node->span.file != whole.file ||
         mode.node->span.begin < whole.begin || mode.node->span.end > whole.end;
}

bool Workload::is_serving() const { return k8s::is_serving_group(object->group()); }

bool Workload::has_placement_constraint() const {
  return pod.is_pinned() || !pod["resourceClaims"].is_empty();
}

bool Workload::takes_placement_advice() const {
  if (is_serving()) return true;
  if (pod.requests_resource(accelerators::is_accelerator)) return true;
  const auto is_of_accelerators = [](const k8s::Requirement& r) {
    return accelerators::find_label(r.key) != nullptr;
  };
  if (std::ranges::any_of(pod.required_labels(), is_of_accelerators)) return true;
  return std::ranges::any_of(pod.tolerations(), [](const k8s::Toleration& t) {
    return accelerators::is_accelerator(t.key);
  });
}

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

namespace {

/// Whether the object names a HardwareProfile that is merged into none of its pods.
bool names_unknown_profile(const Workload& workload) {
  if (kserve::profile_reference(*workload.object).name->is_missing()) return false;
  return workload.scope == nullptr ||
         std::ranges::none_of(
             workload.scope->workloads_of(*workload.object),
             [](const Workload* pod) { return kserve::profile_of(*pod) != nullptr; });
}

}  // namespace

bool gets_placement_from_others(const Workload& workload) {
  return !workload.pod["runtimeClassName"].text().empty() || names_unknown_profile(workload) ||
         workload.object->labels().under(kserve::kQueueLabel) ||
         workload.labels->under(kserve::kQueueLabel);
}

std::vector<k8s::TemplateProblem> template_problems(const Workload& workload) {
  const k8s::Object& object = *workload.object;
  if (!kserve::is_kserve_group(object.group()) || workload.fragment) return {};
  // The webhook's reason is often that of the template too: two model servers, for instance.
  if (!workload.is_built() || workload.is_rejected() || workload.is_incomplete()) return {};
  using Kind = k8s::Unknown::Kind;
  const bool images_known = object.kind == "InferenceService" &&
                            !workload.has_unknown(Kind::image) &&
                            !workload.has_unknown(Kind::chosen);
  auto problems = k8s::template_problems(workload.created, images_known);
  auto mounts = k8s::repeated_mounts(workload.created);
  if (mounts.empty()) {
    mounts = k8s::repeated_mounts(workload.pod);
    for (k8s::TemplateProblem& problem : mounts) problem.only_in_pod = true;
  }
  std::ranges::move(mounts, std::back_inserter(problems));
  // KServe fills placeholders in containers only [K28].
  for (const k8s::Label& label : workload.created.node_selector()) {
    if (!kserve::has_placeholder(label.value)) continue;
    problems.push_back(
        {label.node, nullptr,
         fmt::format("KServe does not substitute '{}' in a node selector", printable(label.value)),
         "write the value of the label"});
  }
  return problems;
}

}  // namespace cnsched
