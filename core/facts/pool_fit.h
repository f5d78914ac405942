#pragma once

#include <string>
#include <vector>

#include "core/facts/node_pools.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::facts {

/// Whether a pod's selector and required affinity admit the nodes of a pool.
enum class Fit : unsigned char {
  no,
  perhaps,  ///< possible, but not every required label is known
  yes,
};

/// What a pod requires of its node, to compare with many pools.
class NodeDemands {
 public:
  explicit NodeDemands(const k8s::PodSpec& pod);

  /// The labels of a Node are known; the description of a pool leaves out those that its nodes get
  /// from others (feature discovery, the cloud).
  Fit fit(const NodePool& pool) const;

 private:
  std::vector<k8s::Requirement> selector_;
  std::vector<k8s::NodeSelectorTerm> terms_;
};

/// The taints of the pool that permanently repel a pod with these tolerations.
std::vector<k8s::Taint> repelling_taints(const NodePool& pool,
                                         const std::vector<k8s::Toleration>& tolerations);

}  // namespace cnsched::facts
