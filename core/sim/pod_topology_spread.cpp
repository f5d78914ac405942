// Where something is not known, the pods of a domain are counted twice: those that surely count,
// and all that may. A node is refused if it is whatever the truth, and in doubt if it may be.
// Source: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go and common.go.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>

#include "core/base/text.h"
#include "core/sim/plugins.h"
#include "core/sim/topology.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

/// Nodes that count, and those that may, which they are among.
struct Counted {
  NodeSet surely;
  NodeSet perhaps;
};

/// The nodes that another plugin has nothing against.
Counted accepted_by(const Plugin& plugin, const Pod& pod, const Cluster& cluster) {
  std::vector<Objection> all;
  Objections objections(plugin, all);
  plugin.filter(pod, cluster, objections);
  Counted accepted{cluster.all(), cluster.all()};
  for (const Objection& objection : all) {
    accepted.surely -= objection.nodes;
    if (objection.is_known) accepted.perhaps -= objection.nodes;
  }
  return accepted;
}

/// One of the topologySpreadConstraints that keep a pod from a node.
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
  std::int64_t max_skew;  ///< at least 1, or the API server would not have it
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

/// A node that lacks one of the keys counts for none of the constraints.
Counted with_all_keys(const std::vector<Constraint>& constraints, const Cluster& cluster) {
  Counted counted{cluster.all(), cluster.all()};
  for (const Constraint& constraint : constraints) {
    counted.surely &= constraint.topology.nodes();
    counted.perhaps &= constraint.topology.nodes() | constraint.topology.open();
  }
  return counted;
}

/// The pods that a constraint counts, by their domains.
class Tally {
 public:
  Tally(const Constraint& constraint, const Pod& pod, const Cluster& cluster, Counted counted)
      : constraint_(constraint),
        counted_(std::move(counted)),
        self_(constraint.selector.matches(pod)) {
    add_domains(cluster);
    // {} selects all pods, but of all pods none are counted.
    if (!constraint.selector.is_everything()) add_pods(pod, cluster);
    find_emptiest();
  }

  const Constraint& constraint() const { return constraint_; }
  /// Whether it may refuse any node at all.
  bool may_refuse_any() const {
    return fullest_ + adrift_ + (self_.is_possible ? 1 : 0) - emptiest_.least >
           constraint_.max_skew;
  }
  bool refuses(std::size_t node) const {
    return in(node).least + (self_.is_sure() ? 1 : 0) - emptiest_.most > constraint_.max_skew;
  }
  bool may_refuse(std::size_t node) const {
    return in(node).most + adrift_ + (self_.is_possible ? 1 : 0) - emptiest_.least >
           constraint_.max_skew;
  }
  /// Why `may_refuse` is not `refuses`.
  Doubt doubt() const {
    if (doubt_ != Doubt::none) return doubt_;
    return self_.doubt != Doubt::none ? self_.doubt : Doubt::tolerations;
  }
  /// What is in the way on a node that it refuses, or may.
  std::string text(std::size_t node, const Pod& pod) const;

 private:
  struct Count {
    std::int64_t least = 0;
    std::int64_t most = 0;
    bool is_domain = false;  ///< surely: a node in it counts
    Witnesses pods;
  };

  const Count& in(std::size_t node) const {
    static const Count kNone;
    const auto domain = constraint_.topology.domain_of(node);
    const auto found = domain ? counts_.find(*domain) : counts_.end();
    return found == counts_.end() ? kNone : found->second;
  }
  void add_domains(const Cluster& cluster);
  void add_domain(std::size_t node, std::uint32_t generation);
  void add_pods(const Pod& pod, const Cluster& cluster);
  void find_emptiest();

  Constraint constraint_;
  Counted counted_;
  Match self_;
  std::unordered_map<Domain, Count> counts_;
  std::int64_t adrift_ = 0;  ///< pods in domains that are not known
  bool is_open_ = false;     ///< there are such domains
  std::int64_t fullest_ = 0;
  Count emptiest_;  ///< how many pods the domain with the fewest has
  Doubt doubt_ = Doubt::none;
};

void Tally::add_domain(std::size_t node, std::uint32_t generation) {
  const auto domain = constraint_.topology.domain_of(node, generation);
  if (!domain) {
    is_open_ = true;
    doubt_ = Doubt::node_labels;
    return;
  }
  Count& count = counts_[*domain];
  count.is_domain = count.is_domain || counted_.surely.contains(node);
}

/// Nodes that an autoscaler may add make no difference to others, and for themselves at most a
/// domain that is empty, in which no skew is too much.
void Tally::add_domains(const Cluster& cluster) {
  counted_.perhaps.each([&](std::size_t node) {
    const std::uint32_t now = cluster.generation(node);
    if (cluster.is_there(node)) add_domain(node, now);
    const std::uint32_t before = constraint_.topology.is_of_hosts() ? now : std::min(now, 1U);
    for (std::uint32_t i = 0; i < before; ++i) add_domain(node, i);
  });
}

void Tally::add_pods(const Pod& pod, const Cluster& cluster) {
  cluster.running_pods().each_candidate(constraint_.selector, [&](const RunningPod& running) {
    if (running.is_terminating || !counted_.perhaps.contains(running.node)) return;
    Match match = in_one_namespace(pod.ns, running.pod.ns);
    if (match.is_possible) match &= constraint_.selector.matches(running.pod);
    if (!match.is_possible) return;
    if (!match.is_sure() && doubt_ == Doubt::none) doubt_ = match.doubt;
    const auto alike = static_cast<std::int64_t>(running.count);
    const auto domain = constraint_.topology.domain_of(running.node, running.generation);
    if (!domain) {
      adrift_ += alike;
      return;
    }
    Count& count = counts_[*domain];
    count.most += alike;
    if (match.is_sure() && counted_.surely.contains(running.node)) count.least += alike;
    count.pods.add(running);
  });
}

/// Domains that are fewer than minDomains are as good as an empty one more.
void Tally::find_emptiest() {
  constexpr std::int64_t kMany = std::numeric_limits<std::int64_t>::max();
  std::int64_t surely = 0;
  emptiest_ = {kMany, kMany};
  for (const auto& [domain, count] : counts_) {
    emptiest_.least = std::min(emptiest_.least, count.least);
    fullest_ = std::max(fullest_, count.most);
    if (!count.is_domain) continue;
    ++surely;
    emptiest_.most = std::min(emptiest_.most, count.most + adrift_);
  }
  const auto perhaps = static_cast<std::int64_t>(counts_.size()) + (is_open_ ? 1 : 0);
  if (is_open_ || surely == 0 || surely < constraint_.min_domains) emptiest_.least = 0;
  // A domain that is not known is one more only if it is none of the others.
  if (surely == 0 || perhaps < constraint_.min_domains) emptiest_.most = 0;
}

std::string Tally::text(std::size_t node, const Pod& pod) const {
  const Count& here = in(node);
  std::string text = fmt::format(
      "maxSkew {} is used up {}: {} of the pods that count run there{}, {} where there are fewest",
      constraint_.max_skew, constraint_.topology.place_of(node), here.pods.count(),
      here.pods.count() == 0 ? "" : fmt::format(" ({})", here.pods.text()), emptiest_.least);
  if (!refuses(node)) text += "; " + doubt_in_words(doubt(), pod);
  return text;
}

/// All that a pod's constraints look at.
class Spread {
 public:
  Spread(const Pod& pod, const Cluster& cluster) : pod_(pod) {
    const std::vector<Constraint> constraints = constraints_of(pod, cluster);
    if (constraints.empty()) return;
    const Counted with_keys = with_all_keys(constraints, cluster);
    const Counted by_affinity = accepted_by(node_affinity, pod, cluster);
    const Counted by_taints = accepted_by(taint_toleration, pod, cluster);
    for (const Constraint& constraint : constraints) {
      Counted counted = with_keys;
      const auto keep = [&](const Counted& accepted) {
        counted.surely &= accepted.surely;
        counted.perhaps &= accepted.perhaps;
      };
      if (constraint.honors_affinity) keep(by_affinity);
      if (constraint.honors_taints) keep(by_taints);
      tallies_.emplace_back(constraint, pod, cluster, std::move(counted));
    }
  }

  const std::vector<Tally>& tallies() const { return tallies_; }
  void explain(std::size_t node, std::vector<Obstacle>& obstacles) const;

 private:
  const Pod& pod_;
  std::vector<Tally> tallies_;
};

void Spread::explain(std::size_t node, std::vector<Obstacle>& obstacles) const {
  for (const Tally& tally : tallies_) {
    const Topology& topology = tally.constraint().topology;
    std::string text;
    if (topology.open().contains(node)) {
      text = doubt_in_words(Doubt::node_labels, pod_);
    } else if (!topology.nodes().contains(node)) {
      text = fmt::format("has no label '{}' (topologyKey of topologySpreadConstraints)",
                         printable(topology.key()));
    } else if (tally.may_refuse(node)) {
      text = tally.text(node, pod_);
    }
    if (text.empty()) continue;
    obstacles.push_back({.plugin = &pod_topology_spread,
                         .text = std::move(text),
                         .in_pod = tally.constraint().node});
  }
}

/// The first constraint that a node does not satisfy gives the reason.
void filter(const Pod& pod, const Cluster& cluster, Objections& objections) {
  NodeSet lacking = cluster.none();
  NodeSet skewed = cluster.none();
  std::map<Doubt, NodeSet> doubtful;
  const auto doubt = [&](Doubt why, const NodeSet& nodes) {
    doubtful.try_emplace(why, cluster.none()).first->second |= nodes;
  };
  const Spread spread(pod, cluster);
  for (const Tally& tally : spread.tallies()) {
    const Topology& topology = tally.constraint().topology;
    lacking |= cluster.all() - topology.nodes() - topology.open() - skewed;
    doubt(Doubt::node_labels, topology.open());
    if (!tally.may_refuse_any()) continue;
    NodeSet in_doubt = cluster.none();
    topology.nodes().each([&](std::size_t node) {
      if (!tally.may_refuse(node)) return;
      const bool is_told = lacking.contains(node);
      (tally.refuses(node) && !is_told ? skewed : in_doubt).insert(node);
    });
    doubt(tally.doubt(), in_doubt - lacking);
  }
  constexpr std::string_view kReason = "node(s) didn't match pod topology spread constraints";
  if (pod.lacks.empty()) {
    objections.add(fmt::format("{} (missing required label)", kReason), std::move(lacking));
    objections.add(kReason, std::move(skewed));
  } else {
    objections.add_unknown(
        fmt::format("{}, which may change what it is spread over, is not in this run",
                    printable(pod.lacks)),
        lacking | skewed);
  }
  for (auto& [why, nodes] : doubtful) {
    objections.add_unknown(doubt_in_words(why, pod), std::move(nodes));
  }
}

Explain explainer(const Pod& pod, const Cluster& cluster) {
  const auto spread = std::make_shared<const Spread>(pod, cluster);
  return [spread](std::size_t node, std::vector<Obstacle>& obstacles) {
    spread->explain(node, obstacles);
  };
}

}  // namespace

constinit const Plugin pod_topology_spread{
    .name = "PodTopologySpread", .filter = filter, .explainer = explainer};

}  // namespace cnsched::sim
