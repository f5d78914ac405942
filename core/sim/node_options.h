#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/accelerators/machine_type.h"
#include "core/facts/cluster_facts.h"

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

/// The nodes of a cluster with, in place of each pool, the nodes that its autoscaler can add. The
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

}  // namespace cnsched::sim
