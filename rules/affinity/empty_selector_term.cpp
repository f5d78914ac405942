#include <algorithm>

#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_empty_selector_term = {
    .id = "empty-selector-term",
    .severity = Severity::error,
    .summary = "an empty term of node affinity, which matches no node",
    .why =
        "If every nodeSelectorTerm is empty, the pod stays Pending: a term without "
        "matchExpressions and matchFields looks like 'any node', and the API server accepts it, "
        "but the scheduler lets it match none. Beside a term with expressions an empty one does "
        "nothing, and an empty preference scores nothing: warnings.",
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
};

using yaml::Node;

/// Whether nothing is in the term. Of fields that do not exist there unknown-field tells.
static bool is_empty(const Node& term) {
  const auto is_known = [](const yaml::Entry& entry) {
    return entry.key->text() == "matchExpressions" || entry.key->text() == "matchFields";
  };
  return term.is_mapping() && term["matchExpressions"].is_empty() &&
         term["matchFields"].is_empty() && std::ranges::all_of(term.entries(), is_known);
}

namespace {

/// What is empty, what comes of it, and how it is mended where nothing is in it.
struct Emptiness {
  std::string_view what;
  std::string_view outcome;
  std::string_view advice;
  Severity severity;
};

}  // namespace

static void add_finding(const Node& term, const Emptiness& emptiness, Report& report) {
  report.add(term, "this {} is empty: {}", emptiness.what, emptiness.outcome)
      .severity(emptiness.severity)
      .help("{}", emptiness.advice);
}

constexpr Emptiness kOnly = {
    "nodeSelectorTerm", "it matches no node, so the pod stays Pending",
    "write matchExpressions into it; to allow any node, leave the required affinity out",
    Severity::error};
constexpr Emptiness kBesideOthers = {
    "nodeSelectorTerm", "it matches no node, and does nothing beside the other terms",
    "write matchExpressions into it, or remove it", Severity::warning};
constexpr Emptiness kPreference = {"preference", "it scores nothing",
                                   "write matchExpressions into it, or remove the whole list item",
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
  // What is built on a fragment may add terms, and is looked at itself.
  if (workload.fragment && report.run().is_built_on(*workload.object)) return;
  check_required(workload, report);
  for (const k8s::NodeSelectorTerm& term : workload.pod.preferred_terms()) {
    if (!is_empty(*term.node)) continue;
    add_finding(*term.node, kPreference, report);
  }
}

}  // namespace cnsched::rules
