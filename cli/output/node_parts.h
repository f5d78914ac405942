#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "core/sim/diagnosis.h"

namespace cnsched::cli {

/// The nodes of a cluster in parts: at first all in one. Parts are in the order of their first
/// nodes.
class NodeParts {
 public:
  explicit NodeParts(std::size_t nodes) : part_of_(nodes), size_(nodes > 0 ? 1 : 0) {}

  /// Divides each part into the nodes of the set and the others.
  void split(const sim::NodeSet& nodes) {
    constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<std::size_t> renamed(2 * size_, kNone);
    size_ = 0;
    for (std::size_t node = 0; node < part_of_.size(); ++node) {
      std::size_t& name = renamed[2 * part_of_[node] + (nodes.contains(node) ? 1 : 0)];
      if (name == kNone) name = size_++;
      part_of_[node] = name;
    }
  }
  /// Divides each part by `value_of(node)`, of 32 bits.
  template <typename ValueOf>
  void split_by(ValueOf value_of) {
    constexpr unsigned kBits = 32;
    std::unordered_map<std::size_t, std::size_t> names;
    for (std::size_t node = 0; node < part_of_.size(); ++node) {
      const std::size_t key = part_of_[node] << kBits | std::size_t{value_of(node)};
      part_of_[node] = names.try_emplace(key, names.size()).first->second;
    }
    size_ = names.size();
  }
  /// Divides each part by the filters that reject the node for a pod, or may do so.
  void split(const sim::Diagnosis& diagnosis) {
    for (const sim::Rejection& rejection : diagnosis.rejections()) split(rejection.nodes);
  }

  /// The nodes of each part, in their order.
  std::vector<std::vector<std::size_t>> all() const {
    std::vector<std::vector<std::size_t>> parts(size_);
    for (std::size_t node = 0; node < part_of_.size(); ++node) {
      parts[part_of_[node]].push_back(node);
    }
    return parts;
  }

 private:
  std::vector<std::size_t> part_of_;  ///< by node
  std::size_t size_;
};

}  // namespace cnsched::cli
