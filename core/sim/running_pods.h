#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/sim/affinity_term.h"
#include "core/sim/pod.h"

namespace cnsched::sim {

/// A pod that runs on one of the nodes.
struct RunningPod {
  Pod pod;
  std::size_t node = 0;
  bool is_terminating = false;
  std::uint32_t generation = 0;  ///< of its node (Cluster::generation)
  std::size_t count = 1;         ///< replicas of one template on one node are told once
};

/// Pods that something is said of: how many, and some to be named.
class Witnesses {
 public:
  void add(const RunningPod& pod);
  std::size_t count() const { return count_; }
  /// "pod 'a/web-0'", "pods 'a/web-0', 'a/web-1', 'a/web-2' and 4 more".
  std::string text() const;

 private:
  std::size_t count_ = 0;
  std::vector<const RunningPod*> some_;
};

/// A required anti-affinity term, and the pods that have it.
struct AntiAffinity {
  AffinityTerm term;
  std::vector<std::uint32_t> pods;  ///< their places
};

/// Pods that run on the nodes: found by their labels, and by what they do not want beside them.
class RunningPods {
 public:
  void add(RunningPod pod);
  /// The same of one of many replicas.
  void add_replica(RunningPod pod);

  const std::vector<RunningPod>& all() const { return pods_; }
  const std::vector<AntiAffinity>& anti_affinities() const { return anti_affinities_; }

  /// Calls `visit` with every pod that the selector may select, and perhaps with others.
  template <typename Visit>
  void each_candidate(const PodSelector& selector, Visit visit) const {
    const auto lists = narrowest(selector);
    if (!lists) {
      for (const RunningPod& pod : pods_) visit(pod);
      return;
    }
    for (const Places* list : *lists) {
      for (const std::uint32_t place : *list) visit(pods_[place]);
    }
  }

 private:
  using Places = std::vector<std::uint32_t>;
  /// The pods with each of the values that one of the requirements asks for: of those the fewest.
  std::optional<std::vector<const Places*>> narrowest(const PodSelector& selector) const;
  /// The pods that have none of a requirement's values drop out. Nothing if it asks for none.
  std::optional<std::vector<const Places*>> with_values(const k8s::ValueMatcher& matcher) const;

  std::vector<RunningPod> pods_;
  /// By template, namespace, node and its generation.
  std::map<std::tuple<const yaml::Node*, std::string_view, std::size_t, std::uint32_t>,
           std::uint32_t>
      replicas_;
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, Places>> by_label_;
  std::vector<AntiAffinity> anti_affinities_;
  std::unordered_map<std::string, std::size_t> by_term_;  ///< places among them
};

}  // namespace cnsched::sim
