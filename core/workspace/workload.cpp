#include "core/workspace/workload.h"

#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/k8s/scope.h"

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
  const auto selects = [](std::string_view key) {
    return accelerators::find_label(key) != nullptr;
  };
  for (const k8s::Label& label : pod.node_selector()) {
    if (selects(label.key)) return true;
  }
  for (const k8s::NodeSelectorTerm& term : pod.required_terms()) {
    for (const k8s::Requirement& r : term.expressions) {
      if (selects(r.key)) return true;
    }
  }
  return std::ranges::any_of(pod.tolerations(), [](const k8s::Toleration& t) {
    return accelerators::is_accelerator(t.key);
  });
}

}  // namespace cnsched
