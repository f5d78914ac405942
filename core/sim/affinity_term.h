#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/sim/namespaces.h"
#include "core/sim/pod_selector.h"

namespace cnsched::sim {

/// A required term of podAffinity or podAntiAffinity: the pods that it selects, and its topology
/// key. Source of its namespaces: pkg/scheduler/framework/types.go,
/// newAffinityTerm and AffinityTerm.Matches.
class AffinityTerm {
 public:
  AffinityTerm(const yaml::Node& term, const Pod& owner);

  const yaml::Node& node() const { return *node_; }
  std::string_view topology_key() const { return (*node_)["topologyKey"].text(); }
  const PodSelector& pods() const { return pods_; }
  /// `namespaces`: of the cluster, for namespaceSelector.
  Match matches(const Pod& pod, const Namespaces& namespaces) const;
  /// The term of a new pod, as kube-scheduler from 1.34 on evaluates it: a namespaceSelector that
  /// matches no labels at all, with NotIn and DoesNotExist only, selects every namespace. Source:
  /// plugins/interpodaffinity/plugin.go, mergeAffinityTermNamespacesIfNotEmpty (kubernetes#141526).
  AffinityTerm as_of_new_pod() const;
  /// Equal for two terms only if they are equivalent, such as the terms of replicas.
  std::string identity() const;

 private:
  Match matches_namespace(std::string_view ns, const Namespaces& namespaces) const;

  const yaml::Node* node_;
  PodSelector pods_;
  std::string_view own_;  ///< the owner's namespace
  std::unordered_set<std::string_view> listed_;
  bool has_selector_ = false;  ///< a namespaceSelector
  std::vector<k8s::ValueMatcher> selector_;
};

/// The required terms of the pod's podAffinity and podAntiAffinity.
std::vector<AffinityTerm> required_affinity(const Pod& pod);
std::vector<AffinityTerm> required_anti_affinity(const Pod& pod);

}  // namespace cnsched::sim
