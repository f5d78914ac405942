#include <algorithm>

#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_empty_selector_term = {
    .id = "empty-selector-term",
    .severity = Severity::error,
    .summary = "an empty term of node affinity, which matches no node",
    .why =
        "A nodeSelectorTerm without matchExpressions and matchFields looks like 'any node', and "
        "the API server accepts it, but the scheduler lets it match none. If every term is empty "
        "the pod stays Pending for ever. A term is also empty if all that stands in it is a field "
        "that does not exist there, such as matchLabels: kubectl refuses that, other clients and "
        "controllers let it be dropped. Beside a term with expressions an empty one does nothing, "
        "and an empty preference scores nothing: warnings.",
    .bad = R"(
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchLabels:
          nvidia.com/gpu.product: NVIDIA-L4
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

/// Whether the API server keeps nothing of the term. What somebody has yet to fill in is unknown.
static bool is_empty(const Node& term) {
  if (!term.is_mapping() || !term["matchExpressions"].is_empty() ||
      !term["matchFields"].is_empty()) {
    return false;
  }
  return std::ranges::none_of(
      term.entries, [](const yaml::Entry& entry) { return k8s::is_placeholder(entry.key->text); });
}

/// The first field that the API server drops from a term, or null.
static const Node* dropped_from(const Node& term) {
  for (const yaml::Entry& entry : term.entries) {
    const std::string_view name = entry.key->text;
    if (name != "matchExpressions" && name != "matchFields" && !entry.merged) return entry.key;
  }
  return nullptr;
}

static std::string_view advice_on(const Node* dropped) {
  if (dropped == nullptr) {
    return "write expressions into it, or remove it: to allow any node, leave the affinity out";
  }
  return dropped->text == "matchLabels"
             ? "write each label as an expression below matchExpressions: {key: …, operator: In, "
               "values: […]}"
             : "a term has matchExpressions, for labels, and matchFields, for the node's name";
}

/// `what` is empty, and this is what comes of it.
static void add_finding(const Node& term, std::string_view what, std::string_view outcome,
                        Severity severity, Report& report) {
  const Node* dropped = dropped_from(term);
  auto finding =
      dropped == nullptr
          ? report.add(term, "this {} is empty: {}", what, outcome)
          : report.add(*dropped, "'{}' does not exist in a {}, which is empty without it: {}",
                       dropped->text, what, outcome);
  finding.severity(severity).help("{}", advice_on(dropped));
}

static void check_required(const Workload& workload, Report& report) {
  const auto terms = workload.pod.required_terms();
  const auto empty = [](const k8s::NodeSelectorTerm& term) { return is_empty(*term.node); };
  const bool all = std::ranges::all_of(terms, empty);
  for (const k8s::NodeSelectorTerm& term : terms) {
    if (!empty(term)) continue;
    add_finding(*term.node, "nodeSelectorTerm",
                all ? "it matches no node, so the pod never schedules"
                    : "it matches no node, and does nothing beside the other terms",
                all ? Severity::error : Severity::warning, report);
  }
}

static void check(const Workload& workload, Report& report) {
  // What is built on a fragment may add terms, and is looked at itself.
  if (workload.fragment && report.run().is_built_on(*workload.object)) return;
  check_required(workload, report);
  for (const k8s::NodeSelectorTerm& term : workload.pod.preferred_terms()) {
    if (!is_empty(*term.node)) continue;
    add_finding(*term.node, "preference", "it scores nothing", Severity::warning, report);
  }
}

}  // namespace cnsched::rules
