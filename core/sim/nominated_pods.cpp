// Source: pkg/scheduler/framework/runtime/framework.go, RunFilterPluginsWithNominatedPods, of
// kube-scheduler 1.36: a node is filtered with its nominated pods first, then without them.
#include "core/sim/nominated_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace cnsched::sim {

namespace {

bool rejects(const std::vector<Rejection>& rejections, std::size_t node) {
  return std::ranges::any_of(rejections, [&](const Rejection& rejection) {
    return rejection.is_certain && rejection.nodes.contains(node);
  });
}

std::vector<Rejection> rejections_with(const std::vector<std::size_t>& pods, const Pod& pod,
                                       Cluster& cluster) {
  for (const std::size_t nominated : pods) cluster.restore(nominated);
  std::vector<Rejection> rejections = rejections_of(pod, cluster);
  for (const std::size_t nominated : pods) cluster.evict(nominated);
  return rejections;
}

/// Replaces what is reported of one node. Both are in the order of the plugins.
void replace(std::size_t node, const std::vector<Rejection>& by, const Cluster& cluster,
             std::vector<Rejection>& rejections) {
  NodeSet only = cluster.none();
  only.insert(node);
  for (Rejection& rejection : rejections) rejection.nodes -= only;
  const auto order = [](const Rejection& rejection) {
    return std::ranges::find(plugins(), rejection.plugin) - plugins().begin();
  };
  for (const Rejection& rejection : by) {
    if (!rejection.nodes.contains(node)) continue;
    const auto place = std::ranges::upper_bound(rejections, order(rejection), std::less<>(), order);
    rejections.insert(place, rejection)->nodes = only;
  }
}

/// kube-scheduler filters the node for which it evicted pods first, even if the names of nodes that
/// the pod requires exclude it, and then names its plugin among those. Source:
/// pkg/scheduler/schedule_one.go, findNodesThatFitPod and evaluateNominatedNode.
void filter_nominated_node(const Pod& pod, const Cluster& cluster,
                           std::vector<Rejection>& rejections) {
  const auto node = cluster.find(pod.nominated_node);
  // It is the first plugin.
  const auto end = std::ranges::find_if(rejections, [](const Rejection& rejection) {
    return rejection.plugin != &node_affinity_pre_filter;
  });
  const std::span<Rejection> by_name(rejections.begin(), end);
  if (!node || by_name.empty()) return;
  NodeSet only = cluster.none();
  only.insert(*node);
  for (Rejection& rejection : by_name) rejection.nodes -= only;
  const auto first = std::ranges::find_if(rejections, [&](const Rejection& rejection) {
    return rejection.is_certain && rejection.nodes.contains(*node);
  });
  const std::string_view own = node_affinity_pre_filter.name;
  if (first == rejections.end() || first->plugin->name == own) return;
  std::vector<std::string_view> names{own, first->plugin->name};
  std::ranges::sort(names);
  for (Rejection& rejection : by_name) {
    rejection.reason = fmt::format("node(s) didn't satisfy plugin(s) [{}]", fmt::join(names, " "));
  }
}

}  // namespace

NominatedPods nominated_before(const Pod& pod, const Cluster& cluster) {
  NominatedPods nominated;
  for (const std::size_t index : cluster.nominated_pods()) {
    const RunningPod& other = cluster.pods()[index];
    const bool is_itself = other.pod.ns == pod.ns && other.pod.name == pod.name;
    if (is_itself || !(other.pod.priority.value >= pod.priority.value)) continue;
    nominated[other.node].push_back(index);
  }
  return nominated;
}

std::vector<Rejection> rejections_on(std::size_t node, const NominatedPods& nominated,
                                     const Pod& pod, Cluster& cluster) {
  const auto pods = nominated.find(node);
  if (pods != nominated.end()) {
    std::vector<Rejection> rejections = rejections_with(pods->second, pod, cluster);
    if (rejects(rejections, node)) return rejections;
  }
  return rejections_of(pod, cluster);
}

Diagnosis diagnose(const Pod& pod, Cluster& cluster) {
  std::vector<Rejection> rejections = rejections_of(pod, cluster);
  const bool is_of_pod =
      std::ranges::find(rejections, true, &Rejection::is_of_pod) != rejections.end();
  if (!is_of_pod) {
    for (const auto& [node, pods] : nominated_before(pod, cluster)) {
      const std::vector<Rejection> with = rejections_with(pods, pod, cluster);
      if (rejects(with, node)) replace(node, with, cluster, rejections);
    }
    filter_nominated_node(pod, cluster, rejections);
  }
  return {pod, cluster, std::move(rejections)};
}

namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

/// Whether the topology key has another value on each node, so that a pod matters to its own node
/// only.
bool is_unique(std::string_view topology_key, const Cluster& cluster) {
  if (topology_key != kHostname) return false;
  const LabelColumn* column = cluster.label(kHostname);
  return column != nullptr && column->values() == cluster.size();
}

std::set<std::string_view> claims_of(const Pod& pod) {
  std::set<std::string_view> names;
  for (const yaml::Node* volume : pod.spec["volumes"].items()) {
    const std::string_view name = (*volume)["persistentVolumeClaim"]["claimName"].text();
    if (!name.empty()) names.insert(name);
  }
  return names;
}

class CoupledPodsCollector {
 public:
  CoupledPodsCollector(const Pod& pod, const Cluster& cluster) : pod_(pod), cluster_(cluster) {}

  CoupledPods collected() && {
    add_spread();
    for (const AffinityTerm& term : required_affinity(pod_)) add_selected(term);
    for (const AffinityTerm& term : required_anti_affinity(pod_)) {
      result_.topology_keys.insert(term.topology_key());
      if (!is_unique(term.topology_key(), cluster_)) add_selected(term);
    }
    add_existing_anti_affinity();
    add_volumes();
    std::vector<std::size_t>& pods = result_.pods;
    std::ranges::sort(pods);
    const auto [first, last] = std::ranges::unique(pods);
    pods.erase(first, last);
    return std::move(result_);
  }

 private:
  void add(const RunningPod& running) {
    result_.pods.push_back(static_cast<std::size_t>(&running - cluster_.pods().data()));
  }
  void add_spread() {
    for (const yaml::Node* item : pod_.spec["topologySpreadConstraints"].items()) {
      if ((*item)["whenUnsatisfiable"].text() != "DoNotSchedule") continue;
      result_.topology_keys.insert((*item)["topologyKey"].text());
      const PodSelector selector(*item, pod_);
      cluster_.each_candidate(selector, [&](const RunningPod& running) {
        if (in_one_namespace(pod_.ns, running.pod.ns).is_possible &&
            selector.matches(running.pod).is_possible) {
          add(running);
        }
      });
    }
  }
  void add_selected(const AffinityTerm& term) {
    result_.topology_keys.insert(term.topology_key());
    cluster_.each_candidate(term.pods(), [&](const RunningPod& running) {
      if (term.matches(running.pod, cluster_.namespaces()).is_possible) add(running);
    });
  }
  void add_existing_anti_affinity() {
    for (const AntiAffinity& existing : cluster_.running_pods().anti_affinities()) {
      if (!existing.term.matches(pod_, cluster_.namespaces()).is_possible) continue;
      result_.topology_keys.insert(existing.term.topology_key());
      if (is_unique(existing.term.topology_key(), cluster_)) continue;
      for (const std::uint32_t index : existing.pods) add(cluster_.pods()[index]);
    }
  }
  void add_volumes() {
    const std::set<std::string_view> claims = claims_of(pod_);
    if (claims.empty()) return;
    for (const RunningPod& running : cluster_.pods()) {
      if (!in_one_namespace(pod_.ns, running.pod.ns).is_possible) continue;
      const auto others = claims_of(running.pod);
      if (std::ranges::any_of(others, [&](auto name) { return claims.contains(name); })) {
        add(running);
      }
    }
  }

  const Pod& pod_;
  const Cluster& cluster_;
  CoupledPods result_;
};

/// Equal for two pods only if spread constraints and pod affinity treat them in the same way.
std::string count_identity(const RunningPod& running) {
  std::string identity = running.is_terminating ? "-" : "+";
  append_identity(running.pod.ns.key(), identity);
  for (const k8s::Label& label : running.pod.labels) {
    append_identity(label.key, identity);
    append_identity(label.value, identity);
  }
  for (const AffinityTerm& term : required_anti_affinity(running.pod)) {
    append_identity(term.identity(), identity);
  }
  return identity;
}

}  // namespace

CoupledPods coupled_pods(const Pod& pod, const Cluster& cluster) {
  return CoupledPodsCollector(pod, cluster).collected();
}

std::string removal_key(std::size_t node, const std::vector<std::size_t>& pods,
                        const CoupledPods& coupled, const Cluster& cluster) {
  std::string key;
  for (const std::string_view name : coupled.topology_keys) {
    const LabelColumn* column = cluster.label(name);
    const auto value = column == nullptr ? std::nullopt : column->value_of(node);
    key += value ? '=' : '!';
    append_identity(value.value_or(std::string_view()), key);
  }
  std::vector<std::string> identities;
  for (const std::size_t pod : pods) {
    if (std::ranges::binary_search(coupled.pods, pod)) {
      identities.push_back(count_identity(cluster.pods()[pod]));
    }
  }
  std::ranges::sort(identities);
  for (const std::string& identity : identities) append_identity(identity, key);
  return key;
}

}  // namespace cnsched::sim
