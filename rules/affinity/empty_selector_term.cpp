#include <algorithm>

#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_empty_selector_term = {
    .id = "empty-selector-term",
    .severity = Severity::error,
    .summary = "an empty term of node affinity, which matches no node",
    .why =
        "The pod stays Pending if every nodeSelectorTerm is empty. The API server accepts a term "
        "without matchExpressions and matchFields, but the scheduler matches it with no node, not "
        "with every node. Next to a term with expressions an empty term has no effect, and an "
        "empty preference does not affect the score: these findings are warnings.",
    .limits =
        "A term with fields that do not exist is not empty; its fields are reported by "
        "unknown-field. A runtime that a pod of the files uses is checked as part of that pod, "
        "which may add terms.",
    .bad = R"(
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions: []
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
        - {key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-L4]}
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/"
        "#NodeAffinity",
    .check = check,
    .admission =
        AdmissionCheck{
            .errors = R"cel(
pod.required.all(t, is_empty_term(t)) ? pod.required.map(t,
  'empty nodeSelectorTerm: it matches no node, so the pod stays Pending; add matchExpressions; to allow any node, remove the required affinity') : [])cel",
            .warnings = R"cel(
(pod.required.all(t, is_empty_term(t)) ? [] : pod.required.map(t, is_empty_term(t),
  'empty nodeSelectorTerm: it matches no node, so only the other terms have an effect; add matchExpressions, or remove the term')) +
pod.preferred.map(t, is_empty_term(t),
  'empty preference: it does not affect the score; add matchExpressions, or remove the list item'))cel",
        },
};

using yaml::Node;

/// Whether the term has no content. unknown-field reports fields that do not exist.
static bool is_empty(const Node& term) {
  const auto is_known = [](const yaml::Entry& entry) {
    return entry.key->text() == "matchExpressions" || entry.key->text() == "matchFields";
  };
  return term.is_mapping() && term["matchExpressions"].is_empty() &&
         term["matchFields"].is_empty() && std::ranges::all_of(term.entries(), is_known);
}

namespace {

/// What is empty, the result, and the help.
struct Emptiness {
  std::string_view what;
  std::string_view outcome;
  std::string_view advice;
  Severity severity;
};

}  // namespace

static void add_finding(const Node& term, const Emptiness& emptiness, Report& report) {
  report.add(term, "empty {}: {}", emptiness.what, emptiness.outcome)
      .severity(emptiness.severity)
      .help("{}", emptiness.advice);
}

constexpr Emptiness kOnly = {
    "nodeSelectorTerm", "it matches no node, so the pod stays Pending",
    "add matchExpressions; to allow any node, remove the required affinity", Severity::error};
constexpr Emptiness kBesideOthers = {"nodeSelectorTerm",
                                     "it matches no node, so only the other terms have an effect",
                                     "add matchExpressions, or remove the term", Severity::warning};
constexpr Emptiness kPreference = {"preference", "it does not affect the score",
                                   "add matchExpressions, or remove the list item",
                                   Severity::warning};

static void check_required(const Workload& workload, Report& report) {
  const auto terms = workload.pod.required_terms();
  const auto empty = [](const k8s::NodeSelectorTerm& term) { return is_empty(*term.node); };
  const bool all = std::ranges::all_of(terms, empty);
  for (const k8s::NodeSelectorTerm& term : terms) {
    if (!empty(term)) continue;
    add_finding(*term.node, all ? kOnly : kBesideOthers, report);
  }
}

static void check(const Workload& workload, Report& report) {
  // A pod that is built on the fragment may add terms, and is checked itself.
  if (workload.fragment && report.scope().is_built_on(*workload.object)) return;
  check_required(workload, report);
  for (const k8s::NodeSelectorTerm& term : workload.pod.preferred_terms()) {
    if (!is_empty(*term.node)) continue;
    add_finding(*term.node, kPreference, report);
  }
}

}  // namespace cnsched::rules
