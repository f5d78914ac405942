// Source: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go [P46].

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/base/text.h"
#include "core/sim/plugin.h"
#include "core/sim/topology.h"

namespace cnsched::sim {

namespace {

/// The nodes for which a condition is certainly true, and those for which it is possibly true, by
/// what is unknown.
struct UncertainNodes {
  explicit UncertainNodes(const Cluster& cluster) : certain(cluster.none()) {}

  void add(Uncertainty uncertainty, const NodeSet& nodes) {
    if (uncertainty == Uncertainty::none) {
      certain |= nodes;
    } else {
      possible.try_emplace(uncertainty, NodeSet(nodes.cluster_size())).first->second |= nodes;
    }
  }
  void add(const UncertainNodes& other) {
    certain |= other.certain;
    for (const auto& [uncertainty, nodes] : other.possible) add(uncertainty, nodes);
  }
  /// Both the certain and the possible nodes.
  NodeSet all() const {
    NodeSet nodes = certain;
    for (const auto& [uncertainty, more] : possible) nodes |= more;
    return nodes;
  }

  NodeSet certain;
  std::map<Uncertainty, NodeSet> possible;
};

/// The running pods that match a term, by the domains of its topology key.
class MatchingPods {
 public:
  MatchingPods(std::string_view key, const Cluster& cluster) : topology_(key, cluster) {}

  const Topology& topology() const { return topology_; }
  void add(const RunningPod& running, Uncertainty uncertainty) {
    const auto domain = topology_.domain_of(running.node, running.generation);
    if (!domain && topology_.possible_nodes().contains(running.node)) is_in_unknown_domain_ = true;
    if (!domain) return;
    const auto [found, is_new] = domains_.try_emplace(*domain, InDomain{uncertainty, {}});
    found->second.uncertainty = std::min(found->second.uncertainty, uncertainty);
    found->second.pods.add(running);
    exists_ = exists_ || uncertainty == Uncertainty::none;
  }
  /// Whether a pod certainly, or possibly, matches in any domain.
  bool exists() const { return exists_; }
  bool may_exist() const { return is_in_unknown_domain_ || !domains_.empty(); }

  /// The nodes in whose domain a pod matches.
  UncertainNodes nodes(const Cluster& cluster) const;
  /// Whether a pod matches in the node's domain.
  bool run_near(std::size_t node) const { return in_domain_of(node) != nullptr; }
  /// "pod 'a/web-0' runs where label 'zone' is 'a'".
  std::string text(std::size_t node) const;

 private:
  struct InDomain {
    Uncertainty uncertainty;
    PodSample pods;
  };

  const InDomain* in_domain_of(std::size_t node) const {
    const auto domain = topology_.domain_of(node);
    const auto found = domain ? domains_.find(*domain) : domains_.end();
    return found == domains_.end() ? nullptr : &found->second;
  }

  Topology topology_;
  std::unordered_map<Domain, InDomain> domains_;
  bool exists_ = false;
  bool is_in_unknown_domain_ = false;
};

UncertainNodes MatchingPods::nodes(const Cluster& cluster) const {
  UncertainNodes nodes(cluster);
  if (!may_exist()) return nodes;
  std::map<Uncertainty, NodeSet> by_uncertainty;
  topology_.nodes().each([&](std::size_t node) {
    const auto found = domains_.find(*topology_.domain_of(node));
    if (found == domains_.end()) return;
    by_uncertainty.try_emplace(found->second.uncertainty, cluster.none())
        .first->second.insert(node);
  });
  for (const auto& [uncertainty, set] : by_uncertainty) nodes.add(uncertainty, set);
  nodes.add(Uncertainty::node_labels, topology_.possible_nodes());
  if (is_in_unknown_domain_) nodes.add(Uncertainty::node_labels, topology_.nodes());
  return nodes;
}

std::string MatchingPods::text(std::size_t node) const {
  const PodSample& pods = in_domain_of(node)->pods;
  return fmt::format("{} {} {}", pods.text(), pods.count() == 1 ? "runs" : "run",
                     topology_.domain_text(node));
}

/// A required term of the new pod, and the running pods that match it.
struct MatchedTerm {
  AffinityTerm term;
  MatchingPods pods;
};

std::vector<MatchedTerm> without_pods(const std::vector<AffinityTerm>& terms,
                                      const Cluster& cluster) {
  std::vector<MatchedTerm> all;
  for (const AffinityTerm& term : terms) {
    all.push_back({cluster.runs_kubernetes(1, 34) ? term.as_of_new_pod() : term,
                   MatchingPods(term.topology_key(), cluster)});
  }
  return all;
}

PodMatch matches_all(const std::vector<MatchedTerm>& terms, const Pod& pod,
                     const Cluster& cluster) {
  PodMatch match{true};
  for (const MatchedTerm& matched : terms) {
    cluster.steps().spend(Cluster::kStepsOfMatch);
    match &= matched.term.matches(pod, cluster.namespaces());
    if (!match.is_possible) break;
  }
  return match;
}

/// Required podAffinity: a pod that matches all terms must run in each topology domain of the node.
class Affinity {
 public:
  Affinity(const Pod& pod, const Cluster& cluster)
      : terms_(without_pods(required_affinity(pod), cluster)),
        self_(matches_all(terms_, pod, cluster)),
        uncertainty_(self_.uncertainty) {
    if (terms_.empty()) return;
    cluster.each_candidate(terms_.front().term.pods(), [&](const RunningPod& running) {
      const PodMatch match = matches_all(terms_, running.pod, cluster);
      if (!match.is_possible) return;
      if (uncertainty_ == Uncertainty::none) uncertainty_ = match.uncertainty;
      for (MatchedTerm& matched : terms_) matched.pods.add(running, match.uncertainty);
    });
  }

  const std::vector<MatchedTerm>& terms() const { return terms_; }
  /// Whether the pod matches its own terms.
  PodMatch self() const { return self_; }
  UncertainNodes satisfied(const Cluster& cluster) const;

 private:
  std::vector<MatchedTerm> terms_;
  PodMatch self_;
  Uncertainty uncertainty_;  ///< of the match of the pod itself or of any running pod
};

/// If no pod matches yet, a pod that matches its own terms may run on any node with the keys.
UncertainNodes Affinity::satisfied(const Cluster& cluster) const {
  NodeBounds with_keys{cluster.all(), cluster.all()};
  NodeSet possible = cluster.all();
  UncertainNodes all(cluster);
  all.certain = cluster.all();
  bool exists = false;
  bool may_exist = false;
  for (const MatchedTerm& matched : terms_) {
    const Topology& topology = matched.pods.topology();
    const UncertainNodes nodes = matched.pods.nodes(cluster);
    with_keys &= {topology.nodes(), topology.nodes() | topology.possible_nodes()};
    all.certain &= nodes.certain;
    possible &= nodes.all();
    exists = exists || matched.pods.exists();
    may_exist = may_exist || matched.pods.may_exist();
    for (const auto& [why, uncertain] : nodes.possible) all.add(why, uncertain);
  }
  for (auto& [why, uncertain] : all.possible) uncertain &= possible;
  if (!exists && self_.is_possible) {
    all.add(Uncertainty::node_labels, with_keys.possible - with_keys.certain);
    const Uncertainty of_pods =
        uncertainty_ == Uncertainty::none ? Uncertainty::node_labels : uncertainty_;
    all.add(may_exist ? of_pods : self_.uncertainty, with_keys.certain);
  }
  return all;
}

/// Required podAntiAffinity of the pod.
std::vector<MatchedTerm> own_anti_affinity(const Pod& pod, const Cluster& cluster) {
  std::vector<MatchedTerm> terms = without_pods(required_anti_affinity(pod), cluster);
  for (MatchedTerm& matched : terms) {
    cluster.each_candidate(matched.term.pods(), [&](const RunningPod& running) {
      const PodMatch match = matched.term.matches(running.pod, cluster.namespaces());
      if (match.is_possible) matched.pods.add(running, match.uncertainty);
    });
  }
  return terms;
}

/// The running pods with required podAntiAffinity that matches the pod, by topology key.
std::map<std::string_view, MatchingPods> existing_anti_affinity(const Pod& pod,
                                                                const Cluster& cluster) {
  std::map<std::string_view, MatchingPods> by_key;
  for (const AntiAffinity& anti_affinity : cluster.running_pods().anti_affinities()) {
    if (!cluster.steps().spend(Cluster::kStepsOfMatch)) break;
    const PodMatch match = anti_affinity.term.matches(pod, cluster.namespaces());
    if (!match.is_possible) continue;
    cluster.steps().spend(anti_affinity.pods.size());
    const std::string_view key = anti_affinity.term.topology_key();
    MatchingPods& pods = by_key.try_emplace(key, key, cluster).first->second;
    for (const std::uint32_t index : anti_affinity.pods) {
      const RunningPod& running = cluster.pods()[index];
      if (running.count > 0) pods.add(running, match.uncertainty);
    }
  }
  return by_key;
}

/// Rejects each node for the first reason only.
class FirstReasons {
 public:
  FirstReasons(const Pod& pod, const Cluster& cluster, FilterResult& result)
      : pod_(pod), rejected_(cluster.none()), result_(result) {}

  void reject(Status status, std::string_view reason, const NodeSet& nodes) {
    if (pod_.unknown_base.empty()) {
      result_.reject(status, reason, nodes - rejected_);
    } else {
      result_.reject_perhaps(
          fmt::format("{} is not in this run: it may change the pod's podAffinity and "
                      "podAntiAffinity",
                      printable(pod_.unknown_base)),
          nodes - rejected_);
    }
    rejected_ |= nodes;
  }
  void add_uncertain(const UncertainNodes& nodes) {
    for (const auto& [why, possible] : nodes.possible) {
      uncertain_.try_emplace(why, NodeSet(possible.cluster_size())).first->second |=
          possible - nodes.certain;
    }
  }
  /// Reports the uncertain nodes that are not rejected.
  void finish() {
    for (const auto& [why, nodes] : uncertain_) {
      result_.reject_perhaps(text_of(why, pod_), nodes - rejected_);
    }
  }

 private:
  const Pod& pod_;
  NodeSet rejected_;
  std::map<Uncertainty, NodeSet> uncertain_;
  FilterResult& result_;
};

/// What is missing on a node that does not satisfy a term.
std::string missing(const MatchedTerm& matched, std::size_t node, const Pod& pod) {
  const Topology& topology = matched.pods.topology();
  if (topology.possible_nodes().contains(node)) return text_of(Uncertainty::node_labels, pod);
  if (!topology.nodes().contains(node)) {
    return fmt::format("has no label '{}' (topologyKey of required podAffinity)",
                       printable(topology.key()));
  }
  return fmt::format("no pod that required podAffinity selects ({}) runs {}",
                     matched.term.pods().text(), topology.domain_text(node));
}

/// The nodes where a pod that is not given may satisfy podAffinity.
NodeSet possibly_satisfied(const Affinity& affinity, const NodeSet& satisfied,
                           const Cluster& cluster) {
  if (cluster.has_pods_given() || affinity.self().is_possible) return cluster.none();
  NodeSet with_keys = cluster.all();
  for (const MatchedTerm& matched : affinity.terms()) {
    with_keys &= matched.pods.topology().nodes() | matched.pods.topology().possible_nodes();
  }
  return with_keys - satisfied;
}

void filter_by_affinity(const Pod& pod, const Cluster& cluster, FirstReasons& reasons,
                        FilterResult& result) {
  const Affinity affinity(pod, cluster);
  const UncertainNodes satisfied = affinity.satisfied(cluster);
  const NodeSet possible = possibly_satisfied(affinity, satisfied.all(), cluster);
  result.reject_perhaps(
      "unknown whether a pod that required podAffinity selects runs there: no Pods are given "
      "(kubectl get pods -A -o yaml prints them)",
      possible);
  reasons.reject(Status::unresolvable, "node(s) didn't match pod affinity rules",
                 cluster.all() - satisfied.all() - possible);
  reasons.add_uncertain(satisfied);
  const NodeSet others = cluster.all() - satisfied.certain;
  for (const MatchedTerm& matched : affinity.terms()) {
    const Topology& topology = matched.pods.topology();
    const auto key_on = [&](std::size_t node) {
      CauseKey key = topology.key_on(node);
      key[1] = topology.possible_nodes().contains(node) ? 1 : 0;
      return key;
    };
    result.explain(others, key_on, [&](std::size_t node) -> std::optional<Cause> {
      if (matched.pods.run_near(node)) return std::nullopt;
      return Cause{.text = result.text([&] { return missing(matched, node, pod); }),
                   .in_pod = &matched.term.node()};
    });
  }
}

/// The nodes in whose domain one of the pods runs, with `text_of_pods` as the cause on each.
template <typename TextOfPods>
UncertainNodes explained_nodes(const MatchingPods& pods, const yaml::Node* in_pod,
                               const Cluster& cluster, FilterResult& result,
                               TextOfPods text_of_pods) {
  UncertainNodes nodes = pods.nodes(cluster);
  result.explain(
      nodes.all(), [&](std::size_t node) { return pods.topology().key_on(node); },
      [&](std::size_t node) -> std::optional<Cause> {
        if (!pods.run_near(node)) return std::nullopt;
        return Cause{.text = result.text([&] { return text_of_pods(pods.text(node)); }),
                     .in_pod = in_pod};
      });
  return nodes;
}

void filter_by_anti_affinity(const Pod& pod, const Cluster& cluster, FirstReasons& reasons,
                             FilterResult& result) {
  UncertainNodes own(cluster);
  for (const MatchedTerm& matched : own_anti_affinity(pod, cluster)) {
    own.add(explained_nodes(matched.pods, &matched.term.node(), cluster, result,
                            [&](const std::string& pods) {
                              return fmt::format("{}, which required podAntiAffinity excludes ({})",
                                                 pods, matched.term.pods().text());
                            }));
  }
  reasons.reject(Status::unschedulable, "node(s) didn't match pod anti-affinity rules",
                 own.certain);
  reasons.add_uncertain(own);
  UncertainNodes existing(cluster);
  for (const auto& [key, matching] : existing_anti_affinity(pod, cluster)) {
    existing.add(explained_nodes(matching, nullptr, cluster, result, [](const std::string& pods) {
      return pods + " with a podAntiAffinity against this pod";
    }));
  }
  reasons.reject(Status::unschedulable, "node(s) didn't satisfy existing pods anti-affinity rules",
                 existing.certain);
  reasons.add_uncertain(existing);
}

void filter_by_pod_affinity(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  if (!pod.node_name.empty()) return;
  FirstReasons reasons(pod, cluster, result);
  filter_by_affinity(pod, cluster, reasons, result);
  filter_by_anti_affinity(pod, cluster, reasons, result);
  reasons.finish();
}

}  // namespace

constinit const Plugin inter_pod_affinity{.name = "InterPodAffinity",
                                          .filter = filter_by_pod_affinity};

}  // namespace cnsched::sim
