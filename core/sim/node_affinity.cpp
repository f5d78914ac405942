// Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go and
// k8s.io/component-helpers scheduling/corev1/nodeaffinity/nodeaffinity.go.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "core/base/text.h"
#include "core/sim/plugins.h"
#include "core/sim/score.h"

namespace cnsched::sim {

namespace {

using k8s::NodeSelectorTerm;
using k8s::Requirement;

/// The nodes that satisfy something, and those that may, which they are among.
struct Satisfied {
  NodeSet surely;
  NodeSet perhaps;

  Satisfied& operator&=(const Satisfied& other) {
    surely &= other.surely;
    perhaps &= other.perhaps;
    return *this;
  }
  Satisfied& operator|=(const Satisfied& other) {
    surely |= other.surely;
    perhaps |= other.perhaps;
    return *this;
  }
};

Satisfied satisfying(const Requirement& requirement, const Cluster& cluster) {
  const k8s::ValueMatcher matches(requirement);
  const LabelColumn* column = cluster.label(requirement.key);
  NodeSet surely = column != nullptr       ? column->where(matches)
                   : matches(std::nullopt) ? cluster.all()
                                           : cluster.none();
  NodeSet perhaps = surely;
  if (requirement.asks_for_label()) {
    NodeSet open = cluster.may_have_label(requirement.key);
    if (column != nullptr) open -= column->with();
    perhaps |= open;
  }
  return {std::move(surely), std::move(perhaps)};
}

/// matchFields knows the name only.
bool asks_for_name(const Requirement& r) {
  return r.key == "metadata.name" && r.values.size() == 1 && (r.op == "In" || r.op == "NotIn");
}

/// What an autoscaler will call its nodes nobody knows, but nobody can choose it either.
Satisfied satisfying_field(const Requirement& requirement, const Cluster& cluster) {
  if (!asks_for_name(requirement)) return {cluster.none(), cluster.none()};
  const NodeSet nodes = cluster.names().where(k8s::ValueMatcher(requirement));
  return {nodes, nodes};
}

Satisfied satisfying(const NodeSelectorTerm& term, const Cluster& cluster) {
  if (term.is_empty()) return {cluster.none(), cluster.none()};
  Satisfied all{cluster.all(), cluster.all()};
  for (const Requirement& r : term.expressions) all &= satisfying(r, cluster);
  for (const Requirement& r : term.fields) all &= satisfying_field(r, cluster);
  return all;
}

/// nodeSelector, and what a RuntimeClass adds to it.
std::vector<Requirement> selector_of(const Pod& pod) {
  std::vector<Requirement> requirements;
  for (const auto* labels : {&pod.node_selector, &pod.class_selector}) {
    for (const k8s::Label& label : *labels) requirements.push_back(k8s::requirement_of(label));
  }
  return requirements;
}

Satisfied satisfying(const Pod& pod, const Cluster& cluster) {
  Satisfied all{cluster.all(), cluster.all()};
  for (const Requirement& r : selector_of(pod)) all &= satisfying(r, cluster);
  if (!pod.has_required_terms) return all;
  Satisfied any{cluster.none(), cluster.none()};
  for (const NodeSelectorTerm& term : pod.required_terms) any |= satisfying(term, cluster);
  return all &= any;
}

void filter(const Pod& pod, const Cluster& cluster, Objections& objections) {
  const Satisfied satisfied = satisfying(pod, cluster);
  objections.add("node(s) didn't match Pod's node affinity/selector",
                 cluster.all() - satisfied.perhaps);
  objections.add_unknown("whether its nodes have the labels is not known: the pool does not tell",
                         satisfied.perhaps - satisfied.surely);
}

std::string wanted(const Requirement& r) {
  std::vector<std::string> values;
  constexpr std::size_t kMost = 4;
  for (const yaml::Node* value : r.values) {
    if (values.size() == kMost) {
      values.emplace_back("…");
      break;
    }
    values.push_back(fmt::format("'{}'", printable(value->text())));
  }
  if (r.op == "In") return join_words(values, "or");
  if (r.op == "NotIn") return "anything but " + join_words(values, "or");
  if (r.op == "Gt") return "more than " + join_words(values);
  if (r.op == "Lt") return "less than " + join_words(values);
  if (r.op == "DoesNotExist") return "no such label";
  return "any value";
}

/// "label 'pool' is 'train', not 'infer'".
std::string difference(const Requirement& r, std::optional<std::string_view> value) {
  const std::string key = printable(r.key);
  if (!value) return fmt::format("has no label '{}' (wanted: {})", key, wanted(r));
  const std::string has = printable(*value);
  if (r.op == "In") return fmt::format("label '{}' is '{}', not {}", key, has, wanted(r));
  return fmt::format("label '{}' is '{}' (wanted: {})", key, has, wanted(r));
}

std::string doubt_about(const Requirement& r) {
  return fmt::format(
      "whether its nodes have label '{}' (wanted: {}) is not known: the pool does "
      "not tell",
      printable(r.key), wanted(r));
}

void explain(const Requirement& r, const Cluster& cluster, std::size_t node,
             std::vector<Obstacle>& obstacles) {
  const LabelColumn* column = cluster.label(r.key);
  const auto value = column == nullptr ? std::nullopt : column->value_of(node);
  if (r.matches_value(value)) return;
  const bool is_open = !value && r.asks_for_label() && cluster.may_have_label(r.key).contains(node);
  const yaml::Node* label = nullptr;
  for (const k8s::Label& l : cluster.node(node).labels) {
    if (l.key == r.key) label = l.node;
  }
  obstacles.push_back({.plugin = &node_affinity,
                       .kind = Obstacle::Kind::label,
                       .text = is_open ? doubt_about(r) : difference(r, value),
                       .in_pod = r.node,
                       .on_node = label,
                       .requirement = r});
}

void explain_field(const Requirement& r, const Cluster& cluster, std::size_t node,
                   std::vector<Obstacle>& obstacles) {
  if (asks_for_name(r) && r.matches_value(cluster.names().value_of(node))) return;
  obstacles.push_back({.plugin = &node_affinity,
                       .kind = Obstacle::Kind::label,
                       .text = fmt::format("its name is not {}", wanted(r)),
                       .in_pod = r.node,
                       .requirement = r});
}

/// Of several terms the one that is nearest to being satisfied is worth telling of.
void explain_terms(const Pod& pod, const Cluster& cluster, std::size_t node,
                   std::vector<Obstacle>& obstacles) {
  std::optional<std::vector<Obstacle>> nearest;
  const NodeSelectorTerm* empty = nullptr;
  for (const NodeSelectorTerm& term : pod.required_terms) {
    if (term.is_empty()) {
      empty = &term;
      continue;
    }
    std::vector<Obstacle> missing;
    for (const Requirement& r : term.expressions) explain(r, cluster, node, missing);
    for (const Requirement& r : term.fields) explain_field(r, cluster, node, missing);
    if (!nearest || missing.size() < nearest->size()) nearest = std::move(missing);
  }
  if (nearest) {
    obstacles.insert(obstacles.end(), nearest->begin(), nearest->end());
  } else {
    const yaml::Node& required =
        pod.spec.node_affinity()["requiredDuringSchedulingIgnoredDuringExecution"];
    obstacles.push_back({.plugin = &node_affinity,
                         .kind = Obstacle::Kind::empty_term,
                         .text = "required affinity holds empty terms only, which match no node",
                         .in_pod = empty != nullptr ? empty->node : &required});
  }
}

void explain(const Pod& pod, const Cluster& cluster, std::size_t node,
             std::vector<Obstacle>& obstacles) {
  for (const Requirement& r : selector_of(pod)) explain(r, cluster, node, obstacles);
  if (pod.has_required_terms) explain_terms(pod, cluster, node, obstacles);
}

/// The sum of the weights of the terms that a node satisfies; an empty one counts for nothing.
std::vector<std::int64_t> score(const Pod& pod, const Cluster& cluster, const NodeSet& feasible) {
  std::vector<std::int64_t> weights(cluster.size());
  for (const PreferredTerm& preferred : pod.preferred_terms) {
    satisfying(preferred.term, cluster).surely.each([&](std::size_t node) {
      weights[node] += preferred.weight;
    });
  }
  return normalized(weights, feasible, Better::more);
}

/// The only nodes that the terms name, if each of them names some: kube-scheduler does not even
/// look at others.
std::optional<std::unordered_set<std::string_view>> named_nodes(const Pod& pod) {
  std::unordered_set<std::string_view> names;
  if (pod.required_terms.empty()) return std::nullopt;
  for (const NodeSelectorTerm& term : pod.required_terms) {
    std::optional<std::string_view> name;
    bool is_contradictory = false;
    for (const Requirement& r : term.fields) {
      if (r.key != "metadata.name" || r.op != "In" || r.values.size() != 1) continue;
      const std::string_view value = r.values.front()->text();
      is_contradictory = is_contradictory || (name && *name != value);
      name = value;
    }
    if (!name) return std::nullopt;
    if (!is_contradictory) names.insert(*name);
  }
  return names;
}

void filter_by_name(const Pod& pod, const Cluster& cluster, Objections& objections) {
  const auto names = named_nodes(pod);
  if (!names) return;
  if (names->empty()) return objections.reject("pod affinity terms conflict", cluster);
  objections.add("node(s) didn't satisfy plugin(s) [NodeAffinity]",
                 cluster.names().where([&](std::optional<std::string_view> name) {
                   return !name || !names->contains(*name);
                 }));
}

}  // namespace

constinit const Plugin node_affinity_pre_filter{.name = "NodeAffinity", .filter = filter_by_name};
constinit const Plugin node_affinity{
    .name = "NodeAffinity", .filter = filter, .explain = explain, .score = score, .weight = 2};

}  // namespace cnsched::sim
