#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cnsched::sim {

/// A set of nodes of a cluster, by their indices: one bit for each node of the cluster.
class NodeSet {
 public:
  NodeSet() = default;
  explicit NodeSet(std::size_t nodes) : words_((nodes + kBits - 1) / kBits), nodes_(nodes) {}
  /// All nodes of the cluster.
  static NodeSet all(std::size_t nodes) {
    NodeSet set(nodes);
    for (std::uint64_t& word : set.words_) word = ~std::uint64_t{0};
    if (nodes % kBits != 0) set.words_.back() >>= kBits - nodes % kBits;
    return set;
  }

  bool contains(std::size_t node) const { return (words_[node / kBits] >> node % kBits & 1U) != 0; }
  void insert(std::size_t node) { words_[node / kBits] |= std::uint64_t{1} << node % kBits; }
  void erase(std::size_t node) { words_[node / kBits] &= ~(std::uint64_t{1} << node % kBits); }
  void insert_if(std::size_t node, bool condition) {
    words_[node / kBits] |= std::uint64_t{condition} << node % kBits;
  }

  NodeSet& operator|=(const NodeSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  NodeSet& operator&=(const NodeSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  /// Removes the nodes of `other`.
  NodeSet& operator-=(const NodeSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  friend NodeSet operator|(NodeSet a, const NodeSet& b) { return a |= b; }
  friend NodeSet operator&(NodeSet a, const NodeSet& b) { return a &= b; }
  friend NodeSet operator-(NodeSet a, const NodeSet& b) { return a -= b; }
  friend bool operator==(const NodeSet&, const NodeSet&) = default;

  bool empty() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  std::size_t count() const {
    std::size_t n = 0;
    for (const std::uint64_t word : words_) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }
  /// The number of nodes of the set with a smaller index than `node`.
  std::size_t rank(std::size_t node) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < node / kBits; ++i) {
      n += static_cast<std::size_t>(std::popcount(words_[i]));
    }
    const std::uint64_t before = (std::uint64_t{1} << node % kBits) - 1;
    return n + static_cast<std::size_t>(std::popcount(words_[node / kBits] & before));
  }
  /// Calls `visit(node)` for each node, in order.
  template <typename Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        visit(i * kBits + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }
  /// The number of nodes of the cluster.
  std::size_t cluster_size() const { return nodes_; }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words_;
  std::size_t nodes_ = 0;
};

/// The nodes for which a condition is certainly true, and those for which it is possibly true. The
/// second set includes the first.
struct NodeBounds {
  NodeSet certain;
  NodeSet possible;

  NodeBounds& operator&=(const NodeBounds& other) {
    certain &= other.certain;
    possible &= other.possible;
    return *this;
  }
  NodeBounds& operator|=(const NodeBounds& other) {
    certain |= other.certain;
    possible |= other.possible;
    return *this;
  }
};

}  // namespace cnsched::sim
