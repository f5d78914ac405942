// Where something is unknown, each domain has two counts: of the pods that certainly match, and of
// those that possibly match. A node is rejected if both counts exceed maxSkew, and unknown if only
// one does [P45].
// Source: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go and common.go.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "core/base/text.h"
#include "core/sim/plugin.h"
#include "core/sim/topology.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

/// The nodes that another plugin does not reject.
NodeBounds accepted_by(const Plugin& plugin, const Pod& pod, const Cluster& cluster) {
  FilterResult result;
  result.run(plugin, pod, cluster);
  NodeBounds accepted{cluster.all(), cluster.all()};
  for (const Rejection& rejection : result.rejections()) {
    accepted.certain -= rejection.nodes;
    if (rejection.is_certain) accepted.possible -= rejection.nodes;
  }
  return accepted;
}

/// One of the topologySpreadConstraints with whenUnsatisfiable DoNotSchedule.
struct Constraint {
  Constraint(const yaml::Node& written, const Pod& pod, const Cluster& cluster)
      : node(&written),
        max_skew(std::max<std::int64_t>(yaml::integer_of(written["maxSkew"]).value_or(1), 1)),
        min_domains(yaml::integer_of(written["minDomains"]).value_or(1)),
        honors_affinity(written["nodeAffinityPolicy"].text() != "Ignore"),
        honors_taints(written["nodeTaintsPolicy"].text() == "Honor"),
        selector(written, pod),
        topology(written["topologyKey"].text(), cluster) {}

  const yaml::Node* node;
  std::int64_t max_skew;  ///< the API server rejects less than 1
  std::int64_t min_domains;
  bool honors_affinity;
  bool honors_taints;
  PodSelector selector;
  Topology topology;
};

std::vector<Constraint> constraints_of(const Pod& pod, const Cluster& cluster) {
  std::vector<Constraint> constraints;
  if (!pod.node_name.empty()) return constraints;
  for (const yaml::Node* item : pod.spec["topologySpreadConstraints"].items()) {
    if ((*item)["whenUnsatisfiable"].text() != "DoNotSchedule") continue;
    constraints.emplace_back(*item, pod, cluster);
  }
  return constraints;
}

/// A node without one of the topology keys is not eligible for any constraint.
NodeBounds nodes_with_all_keys(const std::vector<Constraint>& constraints, const Cluster& cluster) {
  NodeBounds nodes{cluster.all(), cluster.all()};
  for (const Constraint& constraint : constraints) {
    nodes.certain &= constraint.topology.nodes();
    nodes.possible &= constraint.topology.nodes() | constraint.topology.possible_nodes();
  }
  return nodes;
}

/// The pods that match a constraint, counted by domain.
class DomainCounts {
 public:
  /// Only pods on the `eligible` nodes count.
  DomainCounts(const Constraint& constraint, const Pod& pod, const Cluster& cluster,
               NodeBounds eligible)
      : constraint_(constraint),
        eligible_(std::move(eligible)),
        self_(constraint.selector.matches(pod)) {
    add_domains(cluster);
    // The empty selector selects every pod, but kube-scheduler counts none.
    if (!constraint.selector.is_everything()) add_pods(pod, cluster);
    find_minimum();
  }

  const Constraint& constraint() const { return constraint_; }
  /// Whether maxSkew may be exceeded on any node.
  bool may_exceed_anywhere() const {
    return most_in_domain_ + in_unknown_domains_ + (self_.is_possible ? 1 : 0) - minimum_.certain >
           constraint_.max_skew;
  }
  /// The nodes on which one more pod exceeds maxSkew.
  NodeBounds exceeding(const Cluster& cluster) const;
  /// Why the bounds of `exceeding` differ.
  Uncertainty uncertainty() const {
    if (uncertainty_ != Uncertainty::none) return uncertainty_;
    return self_.uncertainty != Uncertainty::none ? self_.uncertainty : Uncertainty::tolerations;
  }
  /// "maxSkew 1 would be exceeded where label 'zone' is 'a': …".
  std::string text(std::size_t node) const;

 private:
  struct Count {
    std::int64_t certain = 0;
    std::int64_t possible = 0;
    bool is_domain = false;  ///< certainly: an eligible node is in it
    PodSample pods;
  };

  const Count& count_on(std::size_t node) const {
    static const Count kNone;
    const auto domain = constraint_.topology.domain_of(node);
    const auto found = domain ? counts_.find(*domain) : counts_.end();
    return found == counts_.end() ? kNone : found->second;
  }
  void add_domains(const Cluster& cluster);
  void add_domain(std::size_t node, std::uint32_t generation);
  void add_pods(const Pod& pod, const Cluster& cluster);
  void find_minimum();

  Constraint constraint_;
  NodeBounds eligible_;
  PodMatch self_;
  std::unordered_map<Domain, Count> counts_;
  std::int64_t in_unknown_domains_ = 0;  ///< pods
  bool has_unknown_domains_ = false;
  std::int64_t most_in_domain_ = 0;
  Count minimum_;  ///< the global minimum: matching pods in the domain with the fewest
  Uncertainty uncertainty_ = Uncertainty::none;
};

NodeBounds DomainCounts::exceeding(const Cluster& cluster) const {
  NodeBounds nodes{cluster.none(), cluster.none()};
  if (!may_exceed_anywhere()) return nodes;
  constraint_.topology.nodes().each([&](std::size_t node) {
    const Count& here = count_on(node);
    const std::int64_t certain = here.certain + (self_.is_certain() ? 1 : 0) - minimum_.possible;
    const std::int64_t possible =
        here.possible + in_unknown_domains_ + (self_.is_possible ? 1 : 0) - minimum_.certain;
    nodes.certain.insert_if(node, certain > constraint_.max_skew);
    nodes.possible.insert_if(node, possible > constraint_.max_skew);
  });
  return nodes;
}

void DomainCounts::add_domain(std::size_t node, std::uint32_t generation) {
  const auto domain = constraint_.topology.domain_of(node, generation);
  if (!domain) {
    has_unknown_domains_ = true;
    uncertainty_ = Uncertainty::node_labels;
    return;
  }
  Count& count = counts_[*domain];
  count.is_domain = count.is_domain || eligible_.certain.contains(node);
}

/// A node that an autoscaler may add does not change the skew on other nodes. On itself it is at
/// most an empty domain, where maxSkew cannot be exceeded.
void DomainCounts::add_domains(const Cluster& cluster) {
  eligible_.possible.each([&](std::size_t node) {
    const std::uint32_t now = cluster.generation(node);
    if (cluster.exists(node)) add_domain(node, now);
    const std::uint32_t before = constraint_.topology.is_hostname() ? now : std::min(now, 1U);
    for (std::uint32_t i = 0; i < before; ++i) add_domain(node, i);
  });
}

void DomainCounts::add_pods(const Pod& pod, const Cluster& cluster) {
  cluster.each_candidate(constraint_.selector, [&](const RunningPod& running) {
    if (running.is_terminating || !eligible_.possible.contains(running.node)) return;
    PodMatch match = in_one_namespace(pod.ns, running.pod.ns);
    if (match.is_possible) match &= constraint_.selector.matches(running.pod);
    if (!match.is_possible) return;
    if (!match.is_certain() && uncertainty_ == Uncertainty::none) uncertainty_ = match.uncertainty;
    const auto replicas = static_cast<std::int64_t>(running.count);
    const auto domain = constraint_.topology.domain_of(running.node, running.generation);
    if (!domain) {
      in_unknown_domains_ += replicas;
      return;
    }
    Count& count = counts_[*domain];
    count.possible += replicas;
    if (match.is_certain() && eligible_.certain.contains(running.node)) count.certain += replicas;
    count.pods.add(running);
  });
}

/// With fewer domains than minDomains, the global minimum is 0.
void DomainCounts::find_minimum() {
  constexpr std::int64_t kNoDomain = std::numeric_limits<std::int64_t>::max();
  std::int64_t certain_domains = 0;
  minimum_ = {kNoDomain, kNoDomain};
  for (const auto& [domain, count] : counts_) {
    minimum_.certain = std::min(minimum_.certain, count.certain);
    most_in_domain_ = std::max(most_in_domain_, count.possible);
    if (!count.is_domain) continue;
    ++certain_domains;
    minimum_.possible = std::min(minimum_.possible, count.possible + in_unknown_domains_);
  }
  const auto possible_domains =
      static_cast<std::int64_t>(counts_.size()) + (has_unknown_domains_ ? 1 : 0);
  if (has_unknown_domains_ || certain_domains == 0 || certain_domains < constraint_.min_domains) {
    minimum_.certain = 0;
  }
  // An unknown domain may be one of the known ones.
  if (certain_domains == 0 || possible_domains < constraint_.min_domains) minimum_.possible = 0;
}

std::string DomainCounts::text(std::size_t node) const {
  const PodSample& pods = count_on(node).pods;
  return fmt::format(
      "maxSkew {} would be exceeded {}: {} matching pods run there{}, the global minimum is {}",
      constraint_.max_skew, constraint_.topology.domain_text(node), pods.count(),
      pods.count() == 0 ? "" : fmt::format(" ({})", pods.text()), minimum_.certain);
}

/// The pods that each of the pod's constraints counts.
std::vector<DomainCounts> counts_of(const Pod& pod, const Cluster& cluster) {
  std::vector<DomainCounts> all;
  const std::vector<Constraint> constraints = constraints_of(pod, cluster);
  if (constraints.empty()) return all;
  const NodeBounds with_keys = nodes_with_all_keys(constraints, cluster);
  const NodeBounds by_affinity = accepted_by(node_affinity, pod, cluster);
  const NodeBounds by_taints = accepted_by(taint_toleration, pod, cluster);
  for (const Constraint& constraint : constraints) {
    NodeBounds eligible = with_keys;
    if (constraint.honors_affinity) eligible &= by_affinity;
    if (constraint.honors_taints) eligible &= by_taints;
    all.emplace_back(constraint, pod, cluster, std::move(eligible));
  }
  return all;
}

/// The nodes that the constraints reject; the first constraint that a node violates gives the
/// reason.
struct Violations {
  explicit Violations(const Cluster& cluster)
      : without_key(cluster.none()), skewed(cluster.none()) {}

  void add_uncertain(Uncertainty why, const NodeSet& nodes) {
    uncertain.try_emplace(why, NodeSet(nodes.cluster_size())).first->second |= nodes;
  }

  NodeSet without_key;
  NodeSet skewed;
  std::map<Uncertainty, NodeSet> uncertain;
};

void add_violations(const DomainCounts& counts, const Pod& pod, const Cluster& cluster,
                    Violations& violations, FilterResult& result) {
  const Topology& topology = counts.constraint().topology;
  const NodeSet without_key = cluster.all() - topology.nodes() - topology.possible_nodes();
  violations.without_key |= without_key - violations.skewed;
  const yaml::Node* in_pod = counts.constraint().node;
  const auto no_key = [&] {
    return fmt::format("has no label '{}' (topologyKey of topologySpreadConstraints)",
                       printable(topology.key()));
  };
  result.explain(without_key, Cause{.text = result.text(no_key), .in_pod = in_pod});
  violations.add_uncertain(Uncertainty::node_labels, topology.possible_nodes());
  result.explain(topology.possible_nodes(),
                 Cause{.text = text_of(Uncertainty::node_labels, pod), .in_pod = in_pod});
  const NodeBounds exceeding = counts.exceeding(cluster);
  violations.skewed |= exceeding.certain - violations.without_key;
  violations.add_uncertain(counts.uncertainty(),
                           exceeding.possible - exceeding.certain - violations.without_key);
  const auto text_on = [&](std::size_t node) {
    const bool is_certain = exceeding.certain.contains(node);
    return counts.text(node) + (is_certain ? "" : "; " + text_of(counts.uncertainty(), pod));
  };
  result.explain(
      exceeding.possible, [&](std::size_t node) { return topology.key_on(node); },
      [&](std::size_t node) {
        return Cause{.text = result.text([&] { return text_on(node); }), .in_pod = in_pod};
      });
}

void filter_by_spread(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  Violations violations(cluster);
  for (const DomainCounts& counts : counts_of(pod, cluster)) {
    add_violations(counts, pod, cluster, violations, result);
  }
  constexpr std::string_view kReason = "node(s) didn't match pod topology spread constraints";
  if (pod.unknown_base.empty()) {
    result.reject(Status::unresolvable, fmt::format("{} (missing required label)", kReason),
                  std::move(violations.without_key));
    result.reject(Status::unschedulable, kReason, std::move(violations.skewed));
  } else {
    result.reject_perhaps(
        fmt::format("{} is not in this run: it may change topologySpreadConstraints",
                    printable(pod.unknown_base)),
        violations.without_key | violations.skewed);
  }
  for (auto& [why, nodes] : violations.uncertain) {
    result.reject_perhaps(text_of(why, pod), std::move(nodes));
  }
}

}  // namespace

constinit const Plugin pod_topology_spread{.name = "PodTopologySpread", .filter = filter_by_spread};

}  // namespace cnsched::sim
