#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/k8s/label.h"
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
        "but the scheduler lets it match none. A term is also empty if all that it has is a field "
        "that does not exist there, such as matchLabels: kubectl refuses that, other clients and "
        "controllers drop it silently. Beside a term with expressions an empty one does nothing, "
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

/// Labels as the expressions that they amount to, in one line: "[{key: a, operator: In, …}]".
static std::string expressions_for(const Node& labels) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (const k8s::Label& label : k8s::labels_in(labels)) {
    const auto shown = static_cast<std::size_t>(std::ranges::count(text, '{'));
    if (shown == kMost) return "[" + text + ", …]";
    const std::string_view quote = label.node->quoted ? "\"" : "";
    text += fmt::format("{}{{key: {}, operator: In, values: [{}{}{}]}}", shown == 0 ? "" : ", ",
                        label.key, quote, label.value, quote);
  }
  return "[" + text + "]";
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

static std::string advice_on(const Node& term, const Node* dropped, const Emptiness& emptiness) {
  if (dropped == nullptr) return std::string(emptiness.advice);
  const Node& value = term[dropped->text];
  if (dropped->text == "matchLabels" && !value.is_empty()) {
    return fmt::format("write 'matchExpressions: {}' instead", expressions_for(value));
  }
  if (dropped->text == "nodeSelectorTerms" && emptiness.what == "preference") {
    return "write matchExpressions directly under 'preference'";
  }
  return "a term has matchExpressions, for labels, and matchFields, for the node's name";
}

static void add_finding(const Node& term, const Emptiness& emptiness, Report& report) {
  const Node* dropped = dropped_from(term);
  auto finding =
      dropped == nullptr
          ? report.add(term, "this {} is empty: {}", emptiness.what, emptiness.outcome)
          : report.add(*dropped, "'{}' does not exist in a {}, which is empty without it: {}",
                       dropped->text, emptiness.what, emptiness.outcome);
  finding.severity(emptiness.severity).help("{}", advice_on(term, dropped, emptiness));
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
