#include <algorithm>

#include "core/base/suggest.h"
#include "core/k8s/label.h"
#include "core/yaml/scalar.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_invalid_node_affinity = {
    .id = "invalid-node-affinity",
    .severity = Severity::error,
    .summary = "a node affinity that the API server refuses",
    .why =
        "No pod ever appears: KServe and Seldon pass node affinity on unchecked, and the API "
        "server refuses the Deployment, StatefulSet or pod. Operators are In, NotIn, Exists, "
        "DoesNotExist, Gt and Lt, and case-sensitive; In and NotIn need values, Exists and "
        "DoesNotExist take none, Gt and Lt take exactly one; weights are 1 to 100; a required "
        "affinity needs at least one term.",
    .bad = R"(
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: nvidia.com/gpu.memory, operator: Gte, values: ["40000"]}
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
        - {key: nvidia.com/gpu.memory, operator: Gt, values: ["39999"]}
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity",
    .check = check,
};

using yaml::Node;

static void check_values(const k8s::Requirement& requirement, Report& report) {
  const Node& values = (*requirement.node)["values"];
  const Node& op = (*requirement.node)["operator"];
  if (values && !values.is_sequence() && !values.is_null()) return;  // wrong-type says so
  const std::size_t count = requirement.values.size();
  const Node& place = values ? values : op;
  if (requirement.op == "In" || requirement.op == "NotIn") {
    if (count == 0) {
      report
          .add(place, "operator {} on '{}' needs at least one value", requirement.op,
               requirement.key)
          .help("list the values, or use {}",
                requirement.op == "In" ? "Exists to ask for the label alone"
                                       : "DoesNotExist to ask for nodes without the label");
    }
  } else if (requirement.op == "Exists" || requirement.op == "DoesNotExist") {
    if (count > 0) {
      report.add(place, "operator {} on '{}' takes no values", requirement.op, requirement.key)
          .note(op, "the operator is here")
          .help("remove the values, or use {}", requirement.op == "Exists" ? "In" : "NotIn");
    }
  } else if (count != 1) {
    report.add(place, "operator {} on '{}' takes exactly one value, and has {}", requirement.op,
               requirement.key, count);
  }
}

/// Whether nothing is written there, of which missing-field tells.
static bool is_left_out(const Node& value) { return value.is_missing() || value.is_null(); }

static void check_requirement(const k8s::Requirement& requirement, Report& report) {
  const Node& op = (*requirement.node)["operator"];
  const Node& key = (*requirement.node)["key"];
  if (k8s::is_placeholder(requirement.op) || is_left_out(op) || is_left_out(key)) return;
  if (key.is_empty()) {
    report.add(*requirement.node, "the expression has no key").help("name the node label");
    return;
  }
  if (requirement.op.empty()) {
    report.add(*requirement.node, "the expression on '{}' has no operator", requirement.key)
        .help("use In, NotIn, Exists, DoesNotExist, Gt or Lt");
    return;
  }
  static const std::vector<std::string_view> kOperators = {"In",           "NotIn", "Exists",
                                                           "DoesNotExist", "Gt",    "Lt"};
  if (std::ranges::find(kOperators, requirement.op) != kOperators.end()) {
    check_values(requirement, report);
    return;
  }
  auto finding = report.add(op, "'{}' is no operator of node affinity", requirement.op);
  if (requirement.op == "Gte" || requirement.op == "Ge" || requirement.op == "Lte" ||
      requirement.op == "Le" || requirement.op == ">=" || requirement.op == "<=") {
    finding.help("only Gt and Lt exist: for 'at least N' write Gt N-1, for 'at most N' Lt N+1");
  } else if (const auto like = nearest(requirement.op, kOperators)) {
    finding.help("did you mean '{}'?", *like);
  } else {
    finding.help("use In, NotIn, Exists, DoesNotExist, Gt or Lt");
  }
}

static void check_field(const k8s::Requirement& requirement, Report& report) {
  const Node& key = (*requirement.node)["key"];
  if (requirement.key != "metadata.name") {
    report.add(key ? key : *requirement.node, "matchFields knows the field metadata.name only")
        .help("match labels in matchExpressions");
  } else if (requirement.op != "In" && requirement.op != "NotIn") {
    const Node& op = (*requirement.node)["operator"];
    report.add(op ? op : *requirement.node, "matchFields takes operator In or NotIn");
  } else if (requirement.values.size() != 1) {
    const Node& values = (*requirement.node)["values"];
    auto finding =
        report.add(values ? values : *requirement.node,
                   "matchFields takes exactly one name, and has {}", requirement.values.size());
    if (requirement.values.size() > 1) finding.help("use one term for each node: terms are ORed");
  }
}

static void check_terms(const std::vector<k8s::NodeSelectorTerm>& terms, Report& report) {
  for (const k8s::NodeSelectorTerm& term : terms) {
    for (const k8s::Requirement& requirement : term.expressions) {
      check_requirement(requirement, report);
    }
    for (const k8s::Requirement& requirement : term.fields) check_field(requirement, report);
  }
}

static void check(const Workload& workload, Report& report) {
  const Node& affinity = workload.pod.node_affinity();
  const Node& required = affinity["requiredDuringSchedulingIgnoredDuringExecution"];
  const Node& terms = required["nodeSelectorTerms"];
  if (required.is_mapping() && terms.is_empty() && !is_left_out(terms)) {
    report.add_at_key(terms, "a required node affinity needs at least one term")
        .help("add a term to nodeSelectorTerms, or remove the requirement");
  }
  check_terms(workload.pod.required_terms(), report);
  check_terms(workload.pod.preferred_terms(), report);
  for (const Node* preferred :
       affinity["preferredDuringSchedulingIgnoredDuringExecution"].items()) {
    const Node& weight = (*preferred)["weight"];
    const auto value = yaml::integer_of(weight);
    if (value && (*value < 1 || *value > 100)) {
      report.add(weight, "weight {} is not between 1 and 100", *value);
    }
  }
}

}  // namespace cnsched::rules
