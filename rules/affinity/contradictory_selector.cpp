#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "rules/affinity/contradictions.h"
#include "rules/affinity/wording.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_contradictory_selector = {
    .id = "contradictory-selector",
    .severity = Severity::error,
    .summary = "node selector and required affinity that no node satisfies together",
    .why =
        "The pod stays Pending with 'node(s) didn't match Pod's node affinity/selector', because "
        "no node satisfies all that it requires: every label of nodeSelector and, beside those, "
        "one of the nodeSelectorTerms, with all of its expressions. No node is left if a label "
        "would need two values at once, or be absent and present, or lie in two intervals that do "
        "not meet; or if two labels, such as GKE's and NVIDIA's, name different cards.\n\n"
        "Terms are ORed, so one that contradicts itself or the selector beside others that do not "
        "is a warning: it never matches. What an InferenceService and its runtime contradict "
        "together is reported by runtime-selector-conflict. Two labels are not judged by their "
        "cards where a node or node pool of the linted files, of those given by --cluster or of "
        "the configuration has both.",
    .bad = R"(
nodeSelector:
  nvidia.com/gpu.product: Tesla-T4
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-L4, NVIDIA-A10G]}
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - key: nvidia.com/gpu.product
          operator: In
          values: [Tesla-T4, NVIDIA-L4, NVIDIA-A10G]
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity",
    .check = check,
};

using accelerators::Contradiction;
using k8s::Requirement;

/// A demand, and what it tells of the card where that is the matter.
static std::string with_remark(const Requirement& r, const Contradiction& contradiction) {
  const auto& difference = contradiction.difference;
  if (!difference) return described(r);
  const bool first = r.node == contradiction.demands.front().node;
  return fmt::format("{} ({} {})", described(r), name_of(difference->trait),
                     first ? difference->label : difference->other);
}

/// "both 'pool: a' and 'pool In b'"; of more than two only the label, for each has a note.
static std::string subject_of(const Contradiction& contradiction) {
  const Requirement& last = contradiction.demands.back();
  if (contradiction.demands.size() > 2) {
    return fmt::format("all that is required of '{}'", last.key);
  }
  return fmt::format("both {} and {}", with_remark(contradiction.demands.front(), contradiction),
                     with_remark(last, contradiction));
}

static std::string_view advice_on(const Contradiction& contradiction) {
  const auto labels = std::ranges::count_if(contradiction.demands, is_label);
  if (labels == static_cast<std::ptrdiff_t>(contradiction.demands.size())) {
    return "keep one of them";
  }
  return labels == 0 ? "expressions of one term all have to hold: remove one, or move it into a "
                       "term of its own, for terms are ORed"
                     : "terms are ANDed with nodeSelector: remove one of the two";
}

static constexpr std::size_t kMostNotes = 10;

static void note_others(const Contradiction& contradiction, Report::Finding& finding) {
  const auto& demands = contradiction.demands;
  for (std::size_t i = 0; i < std::min(demands.size() - 1, kMostNotes); ++i) {
    finding.note(place_of(demands[i]), "{}", i == 0 ? "conflicts with this" : "and with this");
  }
}

static void report_nothing_left(const Workload& workload, const ToldContradictions& told,
                                Report& report) {
  const Contradiction& first = told.all.found.front();
  auto finding = report.add(place_of(first.demands.back()),
                            "no node satisfies {}: the pod stays Pending", subject_of(first));
  note_others(first, finding);
  const std::span others = std::span(told.all.found).subspan(1);
  for (const Contradiction& other : others.first(std::min(others.size(), kMostNotes - 1))) {
    finding.note(place_of(other.demands.back()), "this term does not help: no node satisfies {}",
                 subject_of(other));
  }
  finding.help("{}", advice_on(first));
  if (!told.is_certain) tell_unknown(workload, place_of(first.demands.back()), finding);
}

static void report_dead_term(const Contradiction& contradiction, Report& report) {
  auto finding =
      report.add(place_of(contradiction.demands.back()),
                 "no node satisfies {}: this term never matches", subject_of(contradiction));
  finding.severity(Severity::warning).help("{}", advice_on(contradiction));
  note_others(contradiction, finding);
}

static void check(const Workload& workload, Report& report) {
  const ToldContradictions told =
      contradictions_to_tell(workload, accelerators::About::labels, report);
  if (told.all.leaves_nothing) {
    report_nothing_left(workload, told, report);
    return;
  }
  for (const Contradiction& contradiction : told.all.found) report_dead_term(contradiction, report);
}

}  // namespace cnsched::rules
