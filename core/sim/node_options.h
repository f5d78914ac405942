#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/accelerators/machine_type.h"
#include "core/facts/cluster_facts.h"
#include "core/facts/node_pools.h"
#include "core/k8s/selector.h"
#include "core/sim/pod.h"

namespace cnsched::sim {

/// A kind of node that an autoscaler can add: of a pool and, where that is known, of a machine
/// type.
struct NodeOption {
  const facts::NodePool* pool = nullptr;            ///< as the facts have it; of a Node, itself
  const accelerators::MachineType* type = nullptr;  ///< null: not in the catalogue
  std::string_view type_name{};                     ///< empty: unknown
};

/// How the machine types that a pool can have compare with those of the catalogue.
enum class Coverage : unsigned char {
  none,     ///< the catalogue has none of them, or it is unknown which ones the pool can have
  partial,  ///< the pool may have others
  /// The pool lists families, and the catalogue has some of each. New types of a family differ in
  /// size only.
  families,
  full,  ///< the pool lists them, and the catalogue has all
};

/// The nodes of a cluster with, instead of each pool, the nodes that its autoscaler can add. The
/// filters judge such a node like any other one.
class NodeOptions {
 public:
  /// `facts` must outlive it.
  explicit NodeOptions(const facts::ClusterFacts& facts);
  NodeOptions(const NodeOptions&) = delete;
  NodeOptions& operator=(const NodeOptions&) = delete;

  /// Its pools are the Nodes and the options.
  const facts::ClusterFacts& facts() const { return facts_; }
  /// By the index of the Node or option in the pools of facts().
  const NodeOption& operator[](std::size_t i) const { return options_[i]; }
  /// The options of each pool, in the order of the facts.
  struct OfPool {
    const facts::NodePool* pool = nullptr;
    std::vector<std::size_t> options{};  ///< the smallest types first
    Coverage coverage = Coverage::none;
    bool is_cut = false;  ///< there are too many pools to list its machine types
  };
  const std::vector<OfPool>& pools() const { return pools_; }

 private:
  using TypeLabels = std::vector<std::pair<std::string, std::string>>;
  void add_pool(const facts::NodePool& pool);
  void add_karpenter_options(const facts::NodePool& pool, OfPool& of);
  void add_listed_options(const facts::NodePool& pool, OfPool& of);
  void add(const facts::NodePool& option, const NodeOption& what, OfPool& of);
  const TypeLabels& labels_of(const accelerators::MachineType& type, std::string_view prefix);
  facts::NodePool with_type(const facts::NodePool& pool,
                            const accelerators::MachineType& type) const;

  facts::ClusterFacts facts_;
  std::vector<NodeOption> options_;
  std::vector<OfPool> pools_;
  std::map<std::pair<std::string_view, std::string_view>, TypeLabels> labels_;
  std::vector<const accelerators::MachineType*> by_size_;
};

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
