#include "core/sim/coupled_pods.h"

#include <algorithm>
#include <set>
#include <utility>

namespace cnsched::sim {

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

class Collector {
 public:
  Collector(const Pod& pod, const Cluster& cluster) : pod_(pod), cluster_(cluster) {}

  std::vector<std::size_t> pods() && {
    add_spread();
    for (const AffinityTerm& term : required_affinity(pod_)) add_selected(term);
    for (const AffinityTerm& term : required_anti_affinity(pod_)) {
      if (!is_unique(term.topology_key(), cluster_)) add_selected(term);
    }
    add_existing_anti_affinity();
    add_volumes();
    std::ranges::sort(pods_);
    const auto [first, last] = std::ranges::unique(pods_);
    pods_.erase(first, last);
    return std::move(pods_);
  }

 private:
  void add(const RunningPod& running) {
    pods_.push_back(static_cast<std::size_t>(&running - cluster_.pods().data()));
  }
  void add_spread() {
    for (const yaml::Node* item : pod_.spec["topologySpreadConstraints"].items()) {
      if ((*item)["whenUnsatisfiable"].text() != "DoNotSchedule") continue;
      const PodSelector selector(*item, pod_);
      cluster_.running_pods().each_candidate(selector, [&](const RunningPod& running) {
        if (in_one_namespace(pod_.ns, running.pod.ns).is_possible &&
            selector.matches(running.pod).is_possible) {
          add(running);
        }
      });
    }
  }
  void add_selected(const AffinityTerm& term) {
    cluster_.running_pods().each_candidate(term.pods(), [&](const RunningPod& running) {
      if (term.matches(running.pod, cluster_.namespaces()).is_possible) add(running);
    });
  }
  void add_existing_anti_affinity() {
    for (const AntiAffinity& existing : cluster_.running_pods().anti_affinities()) {
      if (is_unique(existing.term.topology_key(), cluster_) ||
          !existing.term.matches(pod_, cluster_.namespaces()).is_possible) {
        continue;
      }
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
  std::vector<std::size_t> pods_;
};

}  // namespace

std::vector<std::size_t> coupled_pods(const Pod& pod, const Cluster& cluster) {
  return Collector(pod, cluster).pods();
}

}  // namespace cnsched::sim
