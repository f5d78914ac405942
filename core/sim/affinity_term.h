#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/sim/pod_selector.h"

namespace cnsched::sim {

/// One of the terms that podAffinity or podAntiAffinity require: which pods it means, and where
/// they are to be near or not. Source of its namespaces: pkg/scheduler/framework/types.go,
/// newAffinityTerm and AffinityTerm.Matches, as documented; kube-scheduler 1.34 to 1.36 takes a
/// namespaceSelector of nothing but NotIn and DoesNotExist for every namespace
/// (kubernetes/kubernetes#141526).
class AffinityTerm {
 public:
  AffinityTerm(const yaml::Node& term, const Pod& owner);

  const yaml::Node& node() const { return *node_; }
  std::string_view topology_key() const { return (*node_)["topologyKey"].text(); }
  const PodSelector& pods() const { return pods_; }
  Match matches(const Pod& pod) const;
  /// The same text for two terms only if they mean the same: replicas' do.
  std::string identity() const;

 private:
  Match matches_namespace(std::string_view ns) const;

  const yaml::Node* node_;
  PodSelector pods_;
  std::string_view own_;  ///< the owner's namespace
  std::unordered_set<std::string_view> listed_;
  bool is_selected_ = false;  ///< there is a namespaceSelector
  std::vector<k8s::ValueMatcher> selector_;
};

/// What the pod's podAffinity requires, and its podAntiAffinity.
std::vector<AffinityTerm> required_affinity(const Pod& pod);
std::vector<AffinityTerm> required_anti_affinity(const Pod& pod);

}  // namespace cnsched::sim
