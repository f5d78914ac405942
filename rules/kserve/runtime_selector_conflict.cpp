#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "rules/common/authors.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::runtime_selector_conflict {

using accelerators::Conflict;
using k8s::Requirement;

/// The property of the nodes that a label describes, which its name may not show.
static std::string remark(const Conflict& conflict, const std::string& value) {
  if (!conflict.difference) return {};
  return fmt::format(" ({} {})", name_of(conflict.difference->trait), value);
}

static std::string advice_on(const Conflict& conflict, const Requirement& other,
                             const std::string& author) {
  using accelerators::Trait;
  if (!is_label(other)) {
    return fmt::format("write required nodeSelectorTerms here, which replace those of {}", author);
  }
  const bool same_kind = !conflict.difference || conflict.difference->trait == Trait::card ||
                         conflict.difference->trait == Trait::card_of_memory;
  return same_kind
             ? fmt::format("set '{}' in nodeSelector here instead: its value overrides that of {}",
                           other.key, author)
             : fmt::format("remove this, or do not use {}: its labels cannot be removed here",
                           author);
}

/// Whether the pod is a worker, which does not exist if the mode is Knative.
static bool is_uncertain_worker(const Workload& workload) {
  return workload.component.ends_with("worker") &&
         workload.has_unknown(k8s::Unknown::Kind::creation);
}

/// Whether an unknown object may resolve the conflict. Unknown presets of an LLMInferenceService
/// are the base layer and can only add requirements.
static bool may_be_resolved(const Workload& workload) {
  return workload.is_incomplete() ||
         (workload.object->kind == "InferenceService" &&
          (workload.has_unknown(k8s::Unknown::Kind::chosen) || is_uncertain_worker(workload)));
}

/// The field that the choice of a runtime depends on.
static const yaml::Node& model_of(const Workload& workload) {
  const yaml::Node& model = (*workload.written)["model"];
  const yaml::Node& place = model ? model : *workload.written;
  return place.key() != nullptr ? *place.key() : place;
}

static void report_conflict(const Workload& workload, const std::vector<Layer>& layers,
                            const Conflict& conflict, Findings& findings) {
  const Authors author_of(layers);
  const auto& difference = conflict.difference;
  std::string own_remark = remark(conflict, difference ? difference->last : "");
  std::string other_remark = remark(conflict, difference ? difference->first : "");
  const Requirement* own = &conflict.labels.back();
  const Requirement* other = &conflict.labels.front();
  if (author_of(*other->node) > author_of(*own->node)) {
    std::swap(own, other);
    std::swap(own_remark, other_remark);
  }
  const std::string author = layers[author_of(*other->node)].name();
  auto finding =
      findings.add(place_of(*own),
                   "no node has both {}{} and {}{} of {}: the pod requires both and stays Pending",
                   described(*own), own_remark, described(*other), other_remark, author);
  finding.note(place_of(*other), "{} selects this", author)
      .help("{}", advice_on(conflict, *other, author));
  if (!may_be_resolved(workload)) return;
  finding.severity(Severity::warning);
  for (const k8s::Unknown& unknown : workload.unknown) {
    if (!unknown.adds_fields() && !is_uncertain_worker(workload)) continue;
    finding.note(model_of(workload), "unknown: {}", unknown.what);
  }
}

static void check(const Workload& workload, Findings& findings) {
  const std::vector<Layer> layers = layers_of(workload);
  if (const auto conflict = conflict_between_layers(workload, layers, findings.facts().pools)) {
    report_conflict(workload, layers, *conflict, findings);
  }
}

extern constinit const Rule rule = {
    .id = "runtime-selector-conflict",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .check = check,
};

}  // namespace cnsched::rules::runtime_selector_conflict
