#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/accelerators/conflict.h"
#include "core/facts/cluster_facts.h"
#include "core/facts/node_pools.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::facts {

/// An index of the known pools of a cluster: there may be thousands of pools and pods.
class KnownPools {
 public:
  explicit KnownPools(const std::vector<NodePool>& pools);

  /// A pool, and the taints that permanently repel a pod without tolerations.
  struct Pool {
    explicit Pool(const NodePool& described);

    const NodePool* pool;
    std::vector<k8s::Taint> taints;
    std::string first_taint;            ///< "key=value:effect"; empty if there is none
    bool extended_resource_toleration;  ///< see has_extended_resource_toleration
  };
  /// Sorted by the first taint, those without one in front, then by name.
  const std::vector<Pool>& with_accelerators() const { return with_accelerators_; }
  /// Pools of which nothing says that they have accelerators, but whose provisioner may give them
  /// some.
  const std::vector<Pool>& perhaps_with_accelerators() const { return perhaps_; }
  /// Whether a pool carries a taint of that key with exactly that value.
  bool carries(std::string_view key, std::string_view value) const {
    return values_.contains({key, value});
  }

  /// A taint that repels, and the pool that carries it.
  struct Tainted {
    const NodePool* pool = nullptr;
    const k8s::Taint* taint = nullptr;
  };
  /// Every such taint of that key, by the names of the pools.
  std::span<const Tainted> tainted_with(std::string_view key) const;
  /// The pools that carry the label.
  std::span<const NodePool* const> labelled(const k8s::Label& label) const;

 private:
  using Pair = std::pair<std::string_view, std::string_view>;
  std::vector<Pool> with_accelerators_;
  std::vector<Pool> perhaps_;
  std::set<Pair> values_;
  std::map<std::string_view, std::vector<Tainted>> tainted_;
  std::map<Pair, std::vector<const NodePool*>> labelled_;
};

/// Those of each of the run's configurations.
class KnownPoolsOf {
 public:
  const KnownPools& operator[](const ClusterFacts& facts) {
    return known_.try_emplace(&facts, facts.pools).first->second;
  }

 private:
  std::map<const ClusterFacts*, KnownPools> known_;
};

/// What the labels of these pools and the allocatable devices of Nodes show. To be made for each
/// pod: it answers a few questions, and denies all further ones.
accelerators::KnownNodes known_nodes(const std::vector<NodePool>& pools);

/// Whether the nodes are plainly GKE's, EKS's or AKS's, whose API servers run the admission plugin
/// ExtendedResourceToleration. Labels of Karpenter for AWS alone do not decide: it runs on other
/// clusters as well [P30].
bool has_extended_resource_toleration(const NodePool& pool);

/// Whether no input states that the pool has accelerators, and Karpenter may still choose machines
/// with some: no requirement limits the machines, or it also admits such. A Provisioner, of
/// Karpenter's first API, chooses machines without any by default.
bool may_get_accelerators(const NodePool& pool);

/// The taints of the pool that permanently repel a pod with these tolerations.
std::vector<k8s::Taint> repelling_taints(const NodePool& pool,
                                         const std::vector<k8s::Toleration>& tolerations);

}  // namespace cnsched::facts
