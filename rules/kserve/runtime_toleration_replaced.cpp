#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/k8s/admission.h"
#include "core/kserve/fields.h"
#include "rules/common/authors.h"
#include "rules/common/tolerations.h"
#include "rules/rule.h"

namespace cnsched::rules::runtime_toleration_replaced {

using k8s::Toleration;

namespace {

/// The tolerations that admission adds, or may add.
struct Admission {
  std::vector<Toleration> added;
  bool known = false;
};

}  // namespace

static Admission admission_of(const Workload& workload, const Findings& findings) {
  const auto& plugin = findings.facts().extended_resource_toleration;
  if (plugin == false) return {{}, true};
  return {k8s::resource_tolerations(workload.pod), plugin.has_value()};
}

/// Whether the pod may need the toleration. A pod that requests no accelerator and selects no nodes
/// does not need accelerator nodes.
static bool is_needed(const MissingToleration& lost, const Workload& workload) {
  return !accelerators::is_accelerator(lost.toleration.key) ||
         workload.has_placement_constraint() ||
         workload.pod.requests_resource(accelerators::is_accelerator);
}

static void report_lost(const Layer& upper, const Layer& lower,
                        const std::vector<MissingToleration>& lost, bool may_be_added,
                        Findings& findings) {
  constexpr std::size_t kMaxNotes = 10;
  const MissingToleration& first = lost.front();
  auto finding = findings.add_at_key(
      upper.pod["tolerations"],
      "'tolerations' replaces the whole list of {}: the toleration of '{}' is lost, and the pod "
      "stays Pending if it needs nodes with that taint{}",
      lower.name(), taint_text(first),
      may_be_added ? " unless the admission plugin ExtendedResourceToleration adds the toleration"
                   : "");
  for (const MissingToleration& other : std::span(lost).first(std::min(lost.size(), kMaxNotes))) {
    finding.note(*other.toleration.node, "this toleration is lost");
  }
  finding.help("repeat here the tolerations that the pod still needs, such as {}",
               toleration_text(first.toleration));
}

static void check(const Workload& workload, Findings& findings) {
  if (!kserve::is_kserve_group(workload.object->group())) return;
  const std::vector<Layer> layers = layers_of(workload);
  const auto writes = [](const Layer& layer) { return !layer.pod["tolerations"].items().empty(); };
  const auto upper = std::find_if(layers.rbegin(), layers.rend(), writes);
  // The stable predictor's own pod reports a list that a canary inherits from it.
  if (upper == layers.rend() || upper->is_stable_predictor) return;
  // Open Data Hub's webhook adds the tolerations of a HardwareProfile to the object's own list.
  const std::vector<Toleration> kept = workload.created.tolerations();
  if (std::ranges::any_of(kept, [](const Toleration& t) { return k8s::is_placeholder(t.key); })) {
    return;
  }
  const Admission admission = admission_of(workload, findings);
  std::vector<Toleration> with_admission = kept;
  with_admission.insert(with_admission.end(), admission.added.begin(), admission.added.end());
  for (auto lower = std::next(upper); lower != layers.rend(); ++lower) {
    const auto& list = admission.known ? with_admission : kept;
    std::vector<MissingToleration> lost = missing_tolerations(lower->pod.tolerations(), list);
    std::erase_if(lost, [&](const MissingToleration& m) { return !is_needed(m, workload); });
    if (lost.empty()) continue;
    const bool may_be_added =
        missing_tolerations({lost.front().toleration}, with_admission).empty();
    report_lost(*upper, *lower, lost, may_be_added, findings);
  }
}

extern constinit const Rule rule = {
    .id = "runtime-toleration-replaced",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .of = Domain::built | Domain::whole,
    .check = check,
};

}  // namespace cnsched::rules::runtime_toleration_replaced
