#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/selector.h"
#include "core/sim/pod.h"

namespace cnsched::sim {

/// What is unknown when pods are matched on nodes.
enum class Uncertainty : unsigned char {
  none,
  namespaces,        ///< the namespace of one of the two pods
  namespace_labels,  ///< a namespaceSelector selects by them
  added_labels,      ///< a controller sets the label
  node_labels,       ///< a pool does not list the topology key
  tolerations,       ///< admission may add one that makes a node eligible
};
/// A message that says what is unknown.
std::string text_of(Uncertainty uncertainty, const Pod& pod);

/// Whether a pod matches.
struct PodMatch {
  bool is_possible = false;
  Uncertainty uncertainty = Uncertainty::none;

  bool is_certain() const { return is_possible && uncertainty == Uncertainty::none; }
  /// Whether the pod matches both.
  PodMatch& operator&=(const PodMatch& other);
};

/// Appends a part to a string that is equal only for equal sequences of parts.
void append_identity(std::string_view part, std::string& identity);
void append_identity(const std::vector<k8s::ValueMatcher>& matchers, std::string& identity);

/// Whether two namespaces are the same.
PodMatch in_one_namespace(const k8s::Namespace& a, const k8s::Namespace& b);

/// The pods that a podAffinityTerm or a topology spread constraint selects by their labels:
/// labelSelector, and what matchLabelKeys and mismatchLabelKeys add to it from the labels of the
/// owner pod. The API server adds that when it creates the pod, from the labels that the pod has at
/// that time. If a controller sets the label, its value is unknown before that; only the pods of
/// one template are known to share it. So it is unknown whether pods of another rollout are
/// selected.
class PodSelector {
 public:
  PodSelector(const yaml::Node& holder, const Pod& owner);

  PodMatch matches(const Pod& pod) const;
  /// Whether this is the empty selector, which selects every pod.
  bool is_everything() const {
    return selects_ && requirements_.empty() && unknown_match_keys_.empty() &&
           unknown_mismatch_keys_.empty();
  }
  const std::vector<k8s::ValueMatcher>& requirements() const { return requirements_; }
  /// As kubectl prints it: "app=cache,tier in (a, b)".
  std::string text() const;
  /// Equal for two selectors only if they select the same pods.
  std::string identity() const;

 private:
  bool is_of_template(const Pod& pod) const { return &pod.spec.node() == template_; }

  bool selects_;
  std::vector<k8s::ValueMatcher> requirements_;
  std::vector<std::string_view>
      unknown_match_keys_;  ///< keys of matchLabelKeys with an unknown value
  std::vector<std::string_view>
      unknown_mismatch_keys_;  ///< keys of mismatchLabelKeys with an unknown value
  const yaml::Node* template_;
};

/// What is known about the Namespaces of a cluster.
class Namespaces {
 public:
  Namespaces() = default;
  /// `is_complete`: the cluster has no others.
  Namespaces(const std::vector<const k8s::Object*>& objects, bool is_complete);

  bool is_complete() const { return is_complete_; }
  /// The labels of the Namespace, by key; null if it is not given.
  const std::map<std::string_view, std::string_view>* labels(std::string_view name) const;

 private:
  std::map<std::string_view, std::map<std::string_view, std::string_view>> labels_;
  bool is_complete_ = false;
};

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
  PodMatch matches(const Pod& pod, const Namespaces& namespaces) const;
  /// The term of a new pod, as kube-scheduler from 1.34 on evaluates it: a namespaceSelector that
  /// matches no labels at all, with NotIn and DoesNotExist only, selects every namespace. Source:
  /// plugins/interpodaffinity/plugin.go, mergeAffinityTermNamespacesIfNotEmpty (kubernetes#141526).
  AffinityTerm as_of_new_pod() const;
  /// Equal for two terms only if they are equivalent, such as the terms of replicas.
  std::string identity() const;

 private:
  PodMatch matches_namespace(const k8s::Namespace& ns, const Namespaces& namespaces) const;

  const yaml::Node* node_;
  PodSelector pods_;
  k8s::Namespace own_;  ///< the owner's
  std::unordered_set<std::string_view> listed_;
  bool has_selector_ = false;  ///< a namespaceSelector
  std::vector<k8s::ValueMatcher> selector_;
};

/// The required terms of the pod's podAffinity and podAntiAffinity.
std::vector<AffinityTerm> required_affinity(const Pod& pod);
std::vector<AffinityTerm> required_anti_affinity(const Pod& pod);

}  // namespace cnsched::sim
