// Source: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "core/base/text.h"
#include "core/sim/plugins.h"
#include "core/sim/topology.h"

namespace cnsched::sim {

namespace {

/// Nodes of which something holds, and others of which it may, by what is not known.
struct Holding {
  explicit Holding(const Cluster& cluster) : surely(cluster.none()) {}

  void add(Doubt doubt, const NodeSet& nodes) {
    if (doubt == Doubt::none) {
      surely |= nodes;
    } else {
      perhaps.try_emplace(doubt, NodeSet(nodes.universe())).first->second |= nodes;
    }
  }
  void add(const Holding& other) {
    surely |= other.surely;
    for (const auto& [doubt, nodes] : other.perhaps) add(doubt, nodes);
  }
  /// Those of which it may hold, and surely those of which it does.
  NodeSet at_most() const {
    NodeSet nodes = surely;
    for (const auto& [doubt, more] : perhaps) nodes |= more;
    return nodes;
  }

  NodeSet surely;
  std::map<Doubt, NodeSet> perhaps;
};

/// Where pods stand that something is said of, told apart by a topology key.
class Standing {
 public:
  Standing(std::string_view key, const Cluster& cluster) : topology_(key, cluster) {}

  const Topology& topology() const { return topology_; }
  void add(const RunningPod& running, Doubt doubt) {
    const auto domain = topology_.domain_of(running.node, running.generation);
    is_adrift_ = is_adrift_ || (!domain && topology_.open().contains(running.node));
    if (!domain) return;
    const auto [found, is_new] = domains_.try_emplace(*domain, Here{doubt, {}});
    found->second.doubt = std::min(found->second.doubt, doubt);
    found->second.pods.add(running);
    is_sure_ = is_sure_ || doubt == Doubt::none;
  }
  /// Whether any of them stands anywhere, surely or perhaps.
  bool is_anywhere() const { return is_sure_; }
  bool may_be_anywhere() const { return is_adrift_ || !domains_.empty(); }

  /// The nodes beside which one of them stands.
  Holding nodes(const Cluster& cluster) const;
  /// "pod 'a/web-0' runs where label 'zone' is 'a'"; empty where none does.
  std::string text(std::size_t node) const;

 private:
  struct Here {
    Doubt doubt;
    Witnesses pods;
  };

  Topology topology_;
  std::unordered_map<Domain, Here> domains_;
  bool is_sure_ = false;
  bool is_adrift_ = false;  ///< in a domain that is not known
};

Holding Standing::nodes(const Cluster& cluster) const {
  Holding nodes(cluster);
  if (!may_be_anywhere()) return nodes;
  std::map<Doubt, NodeSet> by_doubt;
  topology_.nodes().each([&](std::size_t node) {
    const auto found = domains_.find(*topology_.domain_of(node));
    if (found == domains_.end()) return;
    by_doubt.try_emplace(found->second.doubt, cluster.none()).first->second.insert(node);
  });
  for (const auto& [doubt, set] : by_doubt) nodes.add(doubt, set);
  nodes.add(Doubt::node_labels, topology_.open());
  if (is_adrift_) nodes.add(Doubt::node_labels, topology_.nodes());
  return nodes;
}

std::string Standing::text(std::size_t node) const {
  const auto domain = topology_.domain_of(node);
  const auto found = domain ? domains_.find(*domain) : domains_.end();
  if (found == domains_.end()) return {};
  const Witnesses& pods = found->second.pods;
  return fmt::format("{} {} {}", pods.text(), pods.count() == 1 ? "runs" : "run",
                     topology_.place_of(node));
}

/// One of the pod's own terms, and where the pods stand that it means.
struct Placed {
  AffinityTerm term;
  Standing standing;
};

std::vector<Placed> placed(const std::vector<AffinityTerm>& terms, const Cluster& cluster) {
  std::vector<Placed> all;
  for (const AffinityTerm& term : terms) {
    all.push_back({term, Standing(term.topology_key(), cluster)});
  }
  return all;
}

Match matches_all(const std::vector<Placed>& terms, const Pod& pod) {
  Match match{true};
  for (const Placed& placed : terms) {
    match &= placed.term.matches(pod);
    if (!match.is_possible) break;
  }
  return match;
}

/// podAffinity: beside each node there have to be pods that match all of the terms.
class Affinity {
 public:
  Affinity(const Pod& pod, const Cluster& cluster)
      : terms_(placed(required_affinity(pod), cluster)),
        self_(matches_all(terms_, pod)),
        doubt_(self_.doubt) {
    if (terms_.empty()) return;
    cluster.running_pods().each_candidate(terms_.front().term.pods(),
                                          [&](const RunningPod& running) {
                                            const Match match = matches_all(terms_, running.pod);
                                            if (!match.is_possible) return;
                                            if (doubt_ == Doubt::none) doubt_ = match.doubt;
                                            for (Placed& placed : terms_)
                                              placed.standing.add(running, match.doubt);
                                          });
  }

  const std::vector<Placed>& terms() const { return terms_; }
  Match self() const { return self_; }
  Holding satisfied(const Cluster& cluster) const;

 private:
  std::vector<Placed> terms_;
  Match self_;
  Doubt doubt_;  ///< of what the pods are that it asks for
};

/// The first of a group of pods that want to be together finds none of them yet, and may run on any
/// node that has the keys.
Holding Affinity::satisfied(const Cluster& cluster) const {
  NodeSet keyed = cluster.all();
  NodeSet perhaps_keyed = cluster.all();
  NodeSet perhaps = cluster.all();
  Holding all(cluster);
  all.surely = cluster.all();
  bool is_any = false;
  bool may_be_any = false;
  for (const Placed& placed : terms_) {
    const Topology& topology = placed.standing.topology();
    const Holding nodes = placed.standing.nodes(cluster);
    keyed &= topology.nodes();
    perhaps_keyed &= topology.nodes() | topology.open();
    all.surely &= nodes.surely;
    perhaps &= nodes.at_most();
    is_any = is_any || placed.standing.is_anywhere();
    may_be_any = may_be_any || placed.standing.may_be_anywhere();
    for (const auto& [why, in_doubt] : nodes.perhaps) all.add(why, in_doubt);
  }
  for (auto& [why, in_doubt] : all.perhaps) in_doubt &= perhaps;
  if (!is_any && self_.is_possible) {
    all.add(Doubt::node_labels, perhaps_keyed - keyed);
    const Doubt of_pods = doubt_ == Doubt::none ? Doubt::node_labels : doubt_;
    all.add(may_be_any ? of_pods : self_.doubt, keyed);
  }
  return all;
}

/// podAntiAffinity: of the pod, and of those that run.
class AntiAffinityOf {
 public:
  AntiAffinityOf(const Pod& pod, const Cluster& cluster)
      : own_(placed(required_anti_affinity(pod), cluster)) {
    for (Placed& placed : own_) {
      cluster.running_pods().each_candidate(placed.term.pods(), [&](const RunningPod& running) {
        const Match match = placed.term.matches(running.pod);
        if (match.is_possible) placed.standing.add(running, match.doubt);
      });
    }
    for (const AntiAffinity& shared : cluster.running_pods().anti_affinities()) {
      add_others(shared, pod, cluster);
    }
  }

  const std::vector<Placed>& own() const { return own_; }
  /// The pods that do not want this one beside them, by topology key.
  const std::map<std::string_view, Standing>& others() const { return others_; }

 private:
  void add_others(const AntiAffinity& shared, const Pod& pod, const Cluster& cluster) {
    const Match match = shared.term.matches(pod);
    if (!match.is_possible) return;
    const std::string_view key = shared.term.topology_key();
    Standing& standing = others_.try_emplace(key, key, cluster).first->second;
    for (const std::uint32_t place : shared.pods) {
      standing.add(cluster.pods()[place], match.doubt);
    }
  }

  std::vector<Placed> own_;
  std::map<std::string_view, Standing> others_;
};

/// All that the plugin looks at.
struct Neighbours {
  Neighbours(const Pod& pod, const Cluster& cluster)
      : affinity(pod, cluster),
        satisfied(affinity.satisfied(cluster)),
        anti_affinity(pod, cluster) {}

  Affinity affinity;
  Holding satisfied;
  AntiAffinityOf anti_affinity;
};

/// Pods that nobody has told of may be what the pod wants beside it.
NodeSet open_to_unknown_pods(const Neighbours& neighbours, const Cluster& cluster) {
  if (cluster.knows_pods() || neighbours.affinity.self().is_possible) return cluster.none();
  NodeSet keyed = cluster.all();
  for (const Placed& placed : neighbours.affinity.terms()) {
    keyed &= placed.standing.topology().nodes() | placed.standing.topology().open();
  }
  return keyed - neighbours.satisfied.at_most();
}

/// Tells of each node the first thing that is against it.
class Judge {
 public:
  Judge(const Pod& pod, const Cluster& cluster, Objections& objections)
      : pod_(pod), refused_(cluster.none()), objections_(objections) {}

  void refuse(std::string_view reason, const NodeSet& nodes) {
    if (pod_.lacks.empty()) {
      objections_.add(reason, nodes - refused_);
    } else {
      objections_.add_unknown(fmt::format("{}, which may change what pods it wants beside it, is "
                                          "not in this run",
                                          printable(pod_.lacks)),
                              nodes - refused_);
    }
    refused_ |= nodes;
  }
  void doubt(const Holding& holding) {
    for (const auto& [why, nodes] : holding.perhaps) {
      doubtful_.try_emplace(why, NodeSet(nodes.universe())).first->second |= nodes - holding.surely;
    }
  }
  void tell_doubts() {
    for (const auto& [why, nodes] : doubtful_) {
      objections_.add_unknown(doubt_in_words(why, pod_), nodes - refused_);
    }
  }

 private:
  const Pod& pod_;
  NodeSet refused_;
  std::map<Doubt, NodeSet> doubtful_;
  Objections& objections_;
};

void filter(const Pod& pod, const Cluster& cluster, Objections& objections) {
  if (!pod.node_name.empty()) return;
  const Neighbours neighbours(pod, cluster);
  Judge judge(pod, cluster, objections);
  const NodeSet open = open_to_unknown_pods(neighbours, cluster);
  objections.add_unknown(
      "whether pods run there that required podAffinity asks for is not known: no Pods are given "
      "(kubectl get pods -A -o yaml prints them)",
      open);
  judge.refuse("node(s) didn't match pod affinity rules",
               cluster.all() - neighbours.satisfied.at_most() - open);
  judge.doubt(neighbours.satisfied);
  Holding own(cluster);
  for (const Placed& placed : neighbours.anti_affinity.own())
    own.add(placed.standing.nodes(cluster));
  judge.refuse("node(s) didn't match pod anti-affinity rules", own.surely);
  judge.doubt(own);
  Holding others(cluster);
  for (const auto& [key, standing] : neighbours.anti_affinity.others()) {
    others.add(standing.nodes(cluster));
  }
  judge.refuse("node(s) didn't satisfy existing pods anti-affinity rules", others.surely);
  judge.doubt(others);
  judge.tell_doubts();
}

/// What is missing on a node that does not surely satisfy the term; empty if the term is not to
/// blame.
std::string missing(const Placed& placed, std::size_t node, const Pod& pod) {
  const Topology& topology = placed.standing.topology();
  if (topology.open().contains(node)) return doubt_in_words(Doubt::node_labels, pod);
  if (!topology.nodes().contains(node)) {
    return fmt::format("has no label '{}' (topologyKey of required podAffinity)",
                       printable(topology.key()));
  }
  if (!placed.standing.text(node).empty()) return {};
  return fmt::format("no pod runs {} that required podAffinity asks for ({})",
                     topology.place_of(node), placed.term.pods().text());
}

/// Tells of pods that stand in the way.
class Explainer {
 public:
  Explainer(const Pod& pod, const Cluster& cluster) : pod_(pod), neighbours_(pod, cluster) {}

  void explain(std::size_t node, std::vector<Obstacle>& obstacles) const {
    if (!neighbours_.satisfied.surely.contains(node)) explain_affinity(node, obstacles);
    for (const Placed& placed : neighbours_.anti_affinity.own()) {
      const std::string pods = placed.standing.text(node);
      if (pods.empty()) continue;
      add(fmt::format("{}, which required podAntiAffinity rules out ({})", pods,
                      placed.term.pods().text()),
          &placed.term.node(), obstacles);
    }
    for (const auto& [key, standing] : neighbours_.anti_affinity.others()) {
      const std::string pods = standing.text(node);
      if (pods.empty()) continue;
      add(pods + " with a podAntiAffinity against this pod", nullptr, obstacles);
    }
  }

 private:
  void explain_affinity(std::size_t node, std::vector<Obstacle>& obstacles) const {
    for (const Placed& placed : neighbours_.affinity.terms()) {
      std::string text = missing(placed, node, pod_);
      if (!text.empty()) add(std::move(text), &placed.term.node(), obstacles);
    }
  }
  static void add(std::string text, const yaml::Node* in_pod, std::vector<Obstacle>& obstacles) {
    obstacles.push_back({.plugin = &inter_pod_affinity, .text = std::move(text), .in_pod = in_pod});
  }

  const Pod& pod_;
  Neighbours neighbours_;
};

Explain explainer(const Pod& pod, const Cluster& cluster) {
  if (!pod.node_name.empty()) return [](std::size_t, std::vector<Obstacle>&) {};
  const auto explainer = std::make_shared<const Explainer>(pod, cluster);
  return [explainer](std::size_t node, std::vector<Obstacle>& obstacles) {
    explainer->explain(node, obstacles);
  };
}

}  // namespace

constinit const Plugin inter_pod_affinity{
    .name = "InterPodAffinity", .filter = filter, .explainer = explainer};

}  // namespace cnsched::sim
