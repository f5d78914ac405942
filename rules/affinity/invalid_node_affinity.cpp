#include <algorithm>

#include "core/base/suggest.h"
#include "core/k8s/label.h"
#include "core/yaml/scalar.h"
#include "rules/rule.h"

namespace cnsched::rules::invalid_node_affinity {

using yaml::Node;

static void check_values(const k8s::Requirement& requirement, Findings& findings) {
  const Node& values = (*requirement.node)["values"];
  const Node& op = (*requirement.node)["operator"];
  if (values && !values.is_sequence() && !values.is_null()) return;  // wrong-type reports that
  const std::size_t count = requirement.values.size();
  const Node& place = values ? values : op;
  if (requirement.op == "In" || requirement.op == "NotIn") {
    if (count == 0) {
      findings
          .add(place,
               "operator {} on '{}' requires at least one value: the API server rejects the pod "
               "spec",
               requirement.op, requirement.key)
          .help("list the values, or use {}",
                requirement.op == "In" ? "Exists to require the label with any value"
                                       : "DoesNotExist to require nodes without the label");
    }
  } else if (requirement.op == "Exists" || requirement.op == "DoesNotExist") {
    if (count > 0) {
      findings
          .add(place,
               "operator {} on '{}' must not have values: the API server rejects the pod spec",
               requirement.op, requirement.key)
          .note(op, "the operator")
          .help("remove the values, or use {}", requirement.op == "Exists" ? "In" : "NotIn");
    }
  } else if (count != 1) {
    findings.add(
        place,
        "operator {} on '{}' requires exactly one value but has {}: the API server rejects "
        "the pod spec",
        requirement.op, requirement.key, count);
  }
}

/// Whether the value is left out, which missing-field reports.
static bool is_left_out(const Node& value) { return value.is_missing() || value.is_null(); }

static void check_requirement(const k8s::Requirement& requirement, Findings& findings) {
  const Node& op = (*requirement.node)["operator"];
  const Node& key = (*requirement.node)["key"];
  if (k8s::is_placeholder(requirement.op) || is_left_out(op) || is_left_out(key)) return;
  if (key.is_empty()) {
    findings.add(*requirement.node, "expression without a key: the API server rejects the pod spec")
        .help("add the key of a node label");
    return;
  }
  if (requirement.op.empty()) {
    findings
        .add(*requirement.node,
             "expression on '{}' without an operator: the API server rejects the pod spec",
             requirement.key)
        .help("use In, NotIn, Exists, DoesNotExist, Gt or Lt");
    return;
  }
  static const std::vector<std::string_view> kOperators = {"In",           "NotIn", "Exists",
                                                           "DoesNotExist", "Gt",    "Lt"};
  if (std::ranges::find(kOperators, requirement.op) != kOperators.end()) {
    check_values(requirement, findings);
    return;
  }
  auto finding =
      findings.add(op, "invalid node affinity operator '{}': the API server rejects the pod spec",
                   requirement.op);
  if (requirement.op == "Gte" || requirement.op == "Ge" || requirement.op == "Lte" ||
      requirement.op == "Le" || requirement.op == ">=" || requirement.op == "<=") {
    finding.help("use Gt with N-1 for 'at least N', or Lt with N+1 for 'at most N'");
  } else if (const auto like = nearest(requirement.op, kOperators)) {
    finding.help("did you mean '{}'?", *like);
  } else {
    finding.help("use In, NotIn, Exists, DoesNotExist, Gt or Lt");
  }
}

static void check_field(const k8s::Requirement& requirement, Findings& findings) {
  const Node& key = (*requirement.node)["key"];
  if (requirement.key != "metadata.name") {
    findings
        .add(key ? key : *requirement.node,
             "matchFields supports only the field 'metadata.name': the API server rejects the pod "
             "spec")
        .help("match labels in matchExpressions");
  } else if (requirement.op != "In" && requirement.op != "NotIn") {
    const Node& op = (*requirement.node)["operator"];
    findings.add(op ? op : *requirement.node,
                 "matchFields supports only the operators In and NotIn: the API server rejects the "
                 "pod spec");
  } else if (requirement.values.size() != 1) {
    const Node& values = (*requirement.node)["values"];
    auto finding = findings.add(
        values ? values : *requirement.node,
        "matchFields requires exactly one value but has {}: the API server rejects the pod spec",
        requirement.values.size());
    if (requirement.values.size() > 1) {
      finding.help("use one term for each node, because terms are ORed");
    }
  }
}

static void check_terms(const std::vector<k8s::NodeSelectorTerm>& terms, Findings& findings) {
  for (const k8s::NodeSelectorTerm& term : terms) {
    for (const k8s::Requirement& requirement : term.expressions) {
      check_requirement(requirement, findings);
    }
    for (const k8s::Requirement& requirement : term.fields) check_field(requirement, findings);
  }
}

static void check(const Workload& workload, Findings& findings) {
  const Node& affinity = workload.pod.node_affinity();
  const Node& required = affinity["requiredDuringSchedulingIgnoredDuringExecution"];
  const Node& terms = required["nodeSelectorTerms"];
  if (required.is_mapping() && terms.is_empty() && !is_left_out(terms)) {
    findings
        .add_at_key(terms,
                    "required node affinity must have at least one node selector term: the API "
                    "server rejects the pod spec")
        .help("add a term to nodeSelectorTerms, or remove the required affinity");
  }
  check_terms(workload.pod.required_terms(), findings);
  check_terms(workload.pod.preferred_terms(), findings);
  for (const Node* preferred :
       affinity["preferredDuringSchedulingIgnoredDuringExecution"].items()) {
    const Node& weight = (*preferred)["weight"];
    const auto value = yaml::integer_of(weight);
    if (value && (*value < 1 || *value > 100)) {
      findings.add(weight,
                   "weight {} must be in the range 1-100: the API server rejects the pod spec",
                   *value);
    }
  }
}

extern constinit const Rule rule = {
    .id = "invalid-node-affinity",
    .severity = Severity::error,
    .decided_by_subject = true,
    .check = check,
};

}  // namespace cnsched::rules::invalid_node_affinity
