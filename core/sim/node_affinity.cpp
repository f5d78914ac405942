// Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go and
// k8s.io/component-helpers scheduling/corev1/nodeaffinity/nodeaffinity.go [P9, P12, P13, P15, P16].

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>

#include "core/base/text.h"
#include "core/sim/node_match.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

using k8s::NodeSelectorTerm;
using k8s::Requirement;

/// kube-scheduler supports metadata.name only.
bool is_supported_field(const Requirement& r) {
  return r.key == "metadata.name" && r.values.size() == 1 && (r.op == "In" || r.op == "NotIn");
}

/// The names of nodes that an autoscaler adds are unknown, but no manifest can select them.
NodeBounds nodes_matching_field(const Requirement& requirement, const Cluster& cluster) {
  if (!is_supported_field(requirement)) return {cluster.none(), cluster.none()};
  const NodeSet nodes = cluster.names().where(k8s::ValueMatcher(requirement));
  return {nodes, nodes};
}

/// A requirement and the nodes that meet it.
struct CheckedRequirement {
  const Requirement* requirement;
  bool is_field;
  NodeBounds nodes;
};
using CheckedTerm = std::vector<CheckedRequirement>;

CheckedTerm checked(const NodeSelectorTerm& term, const Cluster& cluster) {
  CheckedTerm all;
  all.reserve(term.expressions.size() + term.fields.size());
  for (const Requirement& r : term.expressions) {
    all.push_back({&r, false, nodes_matching(r, cluster)});
  }
  for (const Requirement& r : term.fields) {
    all.push_back({&r, true, nodes_matching_field(r, cluster)});
  }
  return all;
}

/// The nodes that meet all requirements of a term. An empty term matches no node.
NodeBounds nodes_matching(const CheckedTerm& term, const Cluster& cluster) {
  if (term.empty()) return {cluster.none(), cluster.none()};
  NodeBounds all = term.front().nodes;
  for (std::size_t i = 1; i < term.size(); ++i) all &= term[i].nodes;
  return all;
}

const yaml::Node* label_on(std::size_t node, std::string_view key, const Cluster& cluster) {
  const yaml::Node* found = nullptr;
  for (const k8s::Label& label : cluster.node(node).labels) {
    if (label.key == key) found = label.node;
  }
  return found;
}

/// Adds why nodes do not certainly meet a requirement.
void explain(const NodeSet& nodes, const CheckedRequirement& checked, const Cluster& cluster,
             FilterResult& result) {
  const Requirement& r = *checked.requirement;
  const LabelColumn* column = checked.is_field ? nullptr : cluster.label(r.key);
  const auto key_on = [&](std::size_t node) {
    // A fix may write the node's name.
    if (checked.is_field) return CauseKey{static_cast<std::int64_t>(node)};
    return CauseKey{column == nullptr ? 0 : column->value_index(node),
                    checked.nodes.possible.contains(node) ? 1 : 0};
  };
  const auto text_on = [&](std::size_t node) {
    if (checked.is_field) return fmt::format("the node's name is not {}", required_values(r));
    return checked.nodes.possible.contains(node)
               ? fmt::format(
                     "unknown whether the pool's nodes have label '{}' (required: {}): "
                     "the pool does not list it",
                     printable(r.key), required_values(r))
               : difference(r, column == nullptr ? std::nullopt : column->value_of(node));
  };
  result.explain(nodes - checked.nodes.certain, key_on, [&](std::size_t node) {
    return Cause{.kind = Cause::Kind::label,
                 .text = result.text([&] { return text_on(node); }),
                 .in_pod = r.node,
                 .on_node = checked.is_field ? nullptr : label_on(node, r.key, cluster),
                 .requirement = r};
  });
}

/// The nodes to explain that match no term, by the term with the fewest unmet requirements.
std::vector<NodeSet> by_nearest_term(const NodeSet& nodes, const std::vector<CheckedTerm>& terms,
                                     const FilterResult& result) {
  if (terms.size() == 1) return {nodes};
  std::vector<NodeSet> nearest(terms.size(), NodeSet(nodes.cluster_size()));
  nodes.each([&](std::size_t node) {
    if (!result.is_explained(node)) return;
    const auto fewest = std::ranges::min_element(terms, {}, [&](const CheckedTerm& term) {
      return term.empty() ? std::numeric_limits<std::ptrdiff_t>::max()
                          : std::ranges::count_if(term, [&](const CheckedRequirement& checked) {
                              return !checked.nodes.certain.contains(node);
                            });
    });
    if (fewest != terms.end()) {
      nearest[static_cast<std::size_t>(fewest - terms.begin())].insert(node);
    }
  });
  return nearest;
}

/// The cause on every node if no term has a requirement.
Cause only_empty_terms(const Pod& pod) {
  const yaml::Node& required =
      pod.spec.node_affinity()["requiredDuringSchedulingIgnoredDuringExecution"];
  return {
      .kind = Cause::Kind::empty_term,
      .text = "required node affinity has only empty terms, which match no node",
      .in_pod = pod.requirements.terms->empty() ? &required : pod.requirements.terms->back().node};
}

NodeBounds filter_by_selector(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  NodeBounds matching{cluster.all(), cluster.all()};
  for (const Requirement& r : pod.requirements.selector) {
    const CheckedRequirement checked{&r, false, nodes_matching(r, cluster)};
    matching &= checked.nodes;
    explain(cluster.all(), checked, cluster, result);
  }
  return matching;
}

NodeBounds filter_by_terms(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  std::vector<CheckedTerm> terms;
  terms.reserve(pod.requirements.terms->size());
  NodeBounds matching{cluster.none(), cluster.none()};
  for (const NodeSelectorTerm& term : *pod.requirements.terms) {
    terms.push_back(checked(term, cluster));
    matching |= nodes_matching(terms.back(), cluster);
  }
  const NodeSet others = cluster.all() - matching.certain;
  if (std::ranges::all_of(terms, &CheckedTerm::empty)) {
    result.explain(others, only_empty_terms(pod));
  } else if (result.explains()) {
    const std::vector<NodeSet> nearest = by_nearest_term(others, terms, result);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (const CheckedRequirement& checked : terms[i]) {
        explain(nearest[i], checked, cluster, result);
      }
    }
  }
  return matching;
}

void filter_by_affinity(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  NodeBounds matching = filter_by_selector(pod, cluster, result);
  if (!pod.unknown_profile.empty()) {
    result.reject_perhaps(
        fmt::format("{} is not in this run: it may replace labels of nodeSelector",
                    printable(pod.unknown_profile)),
        cluster.all() - matching.certain);
    matching.possible = cluster.all();
    matching.certain = cluster.all();
  }
  if (pod.requirements.terms) matching &= filter_by_terms(pod, cluster, result);
  result.reject(Status::unresolvable, "node(s) didn't match Pod's node affinity/selector",
                cluster.all() - matching.possible);
  result.reject_perhaps(
      "unknown whether the pool's nodes have the required labels: the pool does not list them",
      matching.possible - matching.certain);
}

/// The sum of the weights of the terms that a node matches. An empty term adds nothing.
std::vector<std::int64_t> preferred_affinity_score(const Pod& pod, const Cluster& cluster,
                                                   const NodeSet& feasible) {
  std::vector<std::int64_t> weights(cluster.size());
  for (const PreferredTerm& preferred : pod.preferred_terms) {
    nodes_matching(checked(preferred.term, cluster), cluster).certain.each([&](std::size_t node) {
      weights[node] += preferred.weight;
    });
  }
  return normalized(weights, feasible, Better::more);
}

/// The node names in the terms, if every term names a node: kube-scheduler filters only these.
std::optional<std::unordered_set<std::string_view>> named_nodes(const Pod& pod) {
  std::unordered_set<std::string_view> names;
  if (!pod.requirements.terms || pod.requirements.terms->empty()) return std::nullopt;
  for (const NodeSelectorTerm& term : *pod.requirements.terms) {
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

void filter_by_name(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  const auto names = named_nodes(pod);
  if (!names) return;
  if (names->empty())
    return result.reject_pod(Status::unresolvable, "pod affinity terms conflict", cluster);
  result.reject(Status::unresolvable, "node(s) didn't satisfy plugin(s) [NodeAffinity]",
                cluster.names().where([&](std::optional<std::string_view> name) {
                  return !name || !names->contains(*name);
                }));
}

}  // namespace

NodeBounds nodes_selected_by(const yaml::Node& selector, const Cluster& cluster) {
  NodeBounds selected{cluster.none(), cluster.none()};
  for (const NodeSelectorTerm& term : k8s::terms_in(selector)) {
    selected |= nodes_matching(checked(term, cluster), cluster);
  }
  return selected;
}

// node_affinity explains the nodes that this one rejects.
constinit const Plugin node_affinity_pre_filter{.name = "NodeAffinity", .filter = filter_by_name};
constinit const Plugin node_affinity{.name = "NodeAffinity",
                                     .filter = filter_by_affinity,
                                     .score = preferred_affinity_score,
                                     .weight = 2};

}  // namespace cnsched::sim
