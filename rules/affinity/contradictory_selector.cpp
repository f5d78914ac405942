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
    .summary = "node selector and required affinity demand what no node has",
    .why =
        "A node has to have every label of nodeSelector and, beside those, satisfy one of the "
        "nodeSelectorTerms, with all of its expressions. If a label would need two values at "
        "once, or be absent and present, or lie in two intervals that do not meet, no node is "
        "left: the pod stays Pending with 'node(s) didn't match Pod's node affinity/selector'. "
        "The same goes for labels of different makers that tell of different cards. Terms are "
        "ORed, so one that contradicts itself or the selector beside others that do not is a "
        "warning: it never matches. What a service and its runtime contradict together is told by "
        "runtime-selector-conflict.",
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

/// "'pool: a' and 'pool In b'"; of more than two the last, for each has a note.
static std::string subject_of(const Contradiction& contradiction) {
  const Requirement& last = contradiction.demands.back();
  if (contradiction.demands.size() > 2) {
    return fmt::format("{} and all else that is asked of '{}'", described(last), last.key);
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
                     : "a term narrows what nodeSelector leaves, and cannot add to it: remove one "
                       "of them";
}

static constexpr std::size_t kMostNotes = 10;

static void note_others(const Contradiction& contradiction, Report::Finding& finding) {
  const auto& demands = contradiction.demands;
  for (const Requirement& r : std::span(demands).first(std::min(demands.size() - 1, kMostNotes))) {
    finding.note(place_of(r), "this excludes it{}", demands.size() > 2 ? ", with the rest" : "");
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
    finding.note(place_of(other.demands.back()), "the other terms do not help: none satisfies {}",
                 subject_of(other));
  }
  finding.help("{}", advice_on(first));
  tell_doubt(workload, told, place_of(first.demands.back()), finding);
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
