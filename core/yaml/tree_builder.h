#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/yaml/document.h"
#include "core/yaml/parse.h"

namespace cnsched::yaml {

/// Puts a document's nodes together, in the order in which they are read: what a collection holds
/// comes between its `open` and its `close`. Offsets count from the beginning of the document.
class TreeBuilder {
 public:
  /// The nodes go into the arena of `document`, and the root into the document.
  TreeBuilder(Span where, Document& document)
      : where_(where), document_(document), arena_(*document.arena) {}

  /// A collection that is still being read.
  struct Open {
    Node* node = nullptr;
    std::size_t begin = 0;
    bool flow = false;
    const Node* key = nullptr;  ///< of a mapping: waits for its value
    std::size_t weight = 1;     ///< nodes, each alias counted as what it repeats
    std::size_t height = 1;     ///< collections within each other, aliases unfolded
    std::size_t first = 0;      ///< where what it holds begins, among that of all open ones
  };

  Arena& arena() { return arena_; }
  Span span(std::size_t begin, std::size_t end) const {
    return {where_.file, where_.begin + static_cast<std::uint32_t>(begin),
            where_.begin + static_cast<std::uint32_t>(end)};
  }

  bool any_open() const { return !open_.empty(); }
  /// The innermost collection.
  Open& top() { return open_.back(); }
  const Open& top() const { return open_.back(); }
  std::size_t depth() const { return open_.size(); }

  void open(Node::Kind kind, std::size_t begin, bool flow);
  /// What has been closed, which is still to be added.
  struct Closed {
    Node* node = nullptr;
    std::size_t weight = 1;
    std::size_t height = 1;
    std::optional<Problem> problem;  ///< of its `<<` keys
  };
  Closed close(std::size_t end);

  /// A node of that kind, not yet added.
  Node* make(Node::Kind kind, std::size_t begin, std::size_t end);
  /// A scalar whose text outlives the document, or lies in its arena. A plain one that means no
  /// value is null.
  Node* scalar(std::size_t begin, std::size_t end, std::string_view text, bool quoted);

  /// Hands a node to what holds it: an item, a key, a key's value, or the root.
  void add(Node* node, std::size_t weight = 1, std::size_t height = 0);

 private:
  /// Weights are counted no further than this.
  static constexpr std::size_t kMostWeight = 2 * kExpansionLimit;

  Span where_;
  Document& document_;
  Arena& arena_;
  std::vector<Open> open_;
  std::vector<const Node*> items_;  ///< of all open sequences, the outermost's first
  std::vector<Entry> entries_;      ///< of all open mappings, likewise
  std::size_t merge_budget_ = kExpansionLimit;
};

}  // namespace cnsched::yaml
