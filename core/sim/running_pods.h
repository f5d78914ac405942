#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/selector.h"
#include "core/sim/pod.h"
#include "core/sim/pod_selector.h"

namespace cnsched::sim {

/// A pod on one of the nodes.
struct RunningPod {
  Pod pod;
  std::size_t node = 0;
  bool is_terminating = false;
  std::uint32_t generation = 0;  ///< of the node (Cluster::generation)
  /// Replicas of one template on the node share one entry. 0: the pod is evicted.
  std::size_t count = 1;
  std::string_view start_time{};  ///< of the kubelet, in RFC 3339; empty if it is not given
  bool is_preempted = false;      ///< terminating, because the scheduler evicted it
  bool is_nominated = false;      ///< in Cluster::nominated_pods
};

/// A number of pods, and the names of the first ones.
class PodSample {
 public:
  void add(const RunningPod& pod);
  std::size_t count() const { return count_; }
  /// "pod 'a/web-0'", "pods 'a/web-0', 'a/web-1', 'a/web-2' and 4 more".
  std::string text() const;

 private:
  std::size_t count_ = 0;
  std::vector<const RunningPod*> first_;
};

/// A required anti-affinity term and the pods that have it.
struct AntiAffinity {
  AffinityTerm term;
  std::vector<std::uint32_t> pods;  ///< their indices
};

/// The pods on the nodes, indexed by label and by anti-affinity term.
class RunningPods {
 public:
  void add(RunningPod pod);
  /// Adds one of many replicas. Returns the index of their entry.
  std::uint32_t add_replica(RunningPod pod);
  /// Removes one of the replicas of the pod with that index, or adds it again.
  void evict(std::size_t index) { --pods_[index].count; }
  void restore(std::size_t index) { ++pods_[index].count; }
  /// The pod with that index uses no host ports any more.
  void free_ports(std::size_t index) { pods_[index].pod.host_ports.clear(); }

  const std::vector<RunningPod>& all() const { return pods_; }
  const std::vector<AntiAffinity>& anti_affinities() const { return anti_affinities_; }

  /// Calls `visit(pod)` for a superset of the pods that the selector selects.
  template <typename Visit>
  void each_candidate(const PodSelector& selector, Visit visit) const {
    const auto lists = shortest_lists(selector);
    if (!lists) {
      for (const RunningPod& pod : pods_) {
        if (pod.count > 0) visit(pod);
      }
      return;
    }
    for (const Indices* list : *lists) {
      for (const std::uint32_t index : *list) {
        if (pods_[index].count > 0) visit(pods_[index]);
      }
    }
  }

 private:
  using Indices = std::vector<std::uint32_t>;
  /// The pods that match one requirement: the one with the fewest pods.
  std::optional<std::vector<const Indices*>> shortest_lists(const PodSelector& selector) const;
  /// The pods with each value of an In requirement; nothing for other operators.
  std::optional<std::vector<const Indices*>> with_values(const k8s::ValueMatcher& matcher) const;

  std::vector<RunningPod> pods_;
  /// By template, namespace, node and its generation.
  std::map<std::tuple<const yaml::Node*, std::string_view, std::size_t, std::uint32_t>,
           std::uint32_t>
      replicas_;
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, Indices>> by_label_;
  std::vector<AntiAffinity> anti_affinities_;
  std::unordered_map<std::string, std::size_t> by_term_;  ///< indices in `anti_affinities_`
};

/// The PodDisruptionBudgets of a cluster. Those in manifests have no status yet and count for
/// nothing.
class DisruptionBudgets {
 public:
  explicit DisruptionBudgets(const std::vector<const k8s::Object*>& objects);

  /// The names of the budgets that the eviction of each pod violates if all pods are evicted in
  /// this order.
  std::vector<std::vector<std::string_view>> violated_by(
      const std::vector<const RunningPod*>& pods) const;

 private:
  struct Budget {
    std::string_view name;
    std::vector<k8s::ValueMatcher> selector;
    std::int64_t allowed = 0;
    std::unordered_set<std::string_view> disrupted;  ///< names of pods whose eviction is under way

    bool counts(const Pod& pod) const;
  };

  std::map<std::string_view, std::vector<Budget>> by_namespace_;
};

}  // namespace cnsched::sim
