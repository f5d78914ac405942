#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/facts/node_pools.h"
#include "core/k8s/selector.h"
#include "core/sim/pod.h"

namespace cnsched::sim {

/// Requirements on labels of a node that a pod makes together.
using LabelDemands = std::vector<k8s::Requirement>;

/// What a pod requires of the labels of its node: one of these. Empty if no node that does not
/// exist yet can satisfy it. With `preferred`, the preference with the highest weight is required
/// too.
std::vector<LabelDemands> alternative_demands(const Pod& pod, bool preferred);

/// Whether a node with these labels satisfies the requirement; also for Karpenter's Gte and Lte.
bool admits(const k8s::Requirement& requirement, const std::vector<k8s::Label>& labels);

/// "karpenter.sh/capacity-type In [spot]".
std::string requirement_text(const k8s::Requirement& requirement);

/// "karpenter.k8s.aws/", the beginning of AWS's labels on the nodes of a Karpenter pool; empty for
/// other clouds and other pools.
std::string_view aws_label_prefix(const facts::NodePool& pool);

/// The labels that a NodePool of Karpenter gives its nodes: those of its template, and any that
/// satisfy its requirements and the pod's. Source: kubernetes-sigs/karpenter 226646810,
/// pkg/scheduling/requirements.go, Compatible.
class KarpenterLabels {
 public:
  /// The pool must outlive it.
  explicit KarpenterLabels(const facts::NodePool& pool);

  /// Why a node of the pool cannot satisfy the demands; empty if it can, as far as its machine type
  /// permits.
  std::string conflict_with(const LabelDemands& demands) const;
  /// Whether the pool defines the label.
  bool defines(std::string_view key) const;
  const k8s::Conjunction& conjunction() const { return conjunction_; }
  /// aws_label_prefix of the pool.
  std::string_view prefix() const { return prefix_; }
  /// The pool's requirements on labels of machine types that the catalogue does not have.
  const LabelDemands& undecided() const { return undecided_; }
  bool has_min_values() const { return has_min_values_; }

 private:
  std::string conflict_text(const std::vector<k8s::Requirement>& conflicting) const;

  const facts::NodePool* pool_;
  k8s::Conjunction conjunction_;
  std::string_view prefix_;
  LabelDemands undecided_;
  bool has_min_values_ = false;
};

}  // namespace cnsched::sim
