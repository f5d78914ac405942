#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cnsched::sim {

/// Some of a cluster's nodes, told by their places in it: a bit for each.
class NodeSet {
 public:
  explicit NodeSet(std::size_t nodes = 0) : words_((nodes + kBits - 1) / kBits), nodes_(nodes) {}
  /// All of them.
  static NodeSet all(std::size_t nodes) {
    NodeSet set(nodes);
    for (std::uint64_t& word : set.words_) word = ~std::uint64_t{0};
    if (nodes % kBits != 0) set.words_.back() >>= kBits - nodes % kBits;
    return set;
  }

  bool contains(std::size_t node) const { return (words_[node / kBits] >> node % kBits & 1U) != 0; }
  void insert(std::size_t node) { words_[node / kBits] |= std::uint64_t{1} << node % kBits; }
  void insert_if(std::size_t node, bool wanted) {
    words_[node / kBits] |= std::uint64_t{wanted} << node % kBits;
  }

  NodeSet& operator|=(const NodeSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  NodeSet& operator&=(const NodeSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  /// Without those of `other`.
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
  /// How many of them come before `node`.
  std::size_t rank(std::size_t node) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < node / kBits; ++i) {
      n += static_cast<std::size_t>(std::popcount(words_[i]));
    }
    const std::uint64_t before = (std::uint64_t{1} << node % kBits) - 1;
    return n + static_cast<std::size_t>(std::popcount(words_[node / kBits] & before));
  }
  /// Calls `visit` with each of them, in order.
  template <typename Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        visit(i * kBits + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }
  /// How many nodes the cluster has.
  std::size_t universe() const { return nodes_; }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words_;
  std::size_t nodes_ = 0;
};

}  // namespace cnsched::sim
