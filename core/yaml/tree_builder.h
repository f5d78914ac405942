#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/yaml/document.h"
#include "core/yaml/node.h"
#include "core/yaml/parse.h"

namespace cnsched::yaml {

/// The size of a value with its aliases expanded.
struct TreeSize {
  std::size_t weight = 1;  ///< nodes
  std::size_t height = 0;  ///< levels of collections
};

/// Builds the tree of a document from its nodes in file order: the content of a collection comes
/// between `open` and `close`. Offsets count from the beginning of the document.
class TreeBuilder {
 public:
  /// Creates the nodes in the arena of `document` and sets its root.
  TreeBuilder(Span where, Document& document)
      : where_(where), document_(document), arena_(*document.arena) {}

  /// A collection that is not closed yet.
  struct Open {
    Node* node = nullptr;
    std::size_t begin = 0;
    bool flow = false;
    const Node* key = nullptr;  ///< of a mapping: its value is still missing
    TreeSize size{};
    std::size_t first = 0;  ///< index of its first child in `items_` or `entries_`
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
  /// A collection that is closed and not added yet.
  struct Closed {
    Node* node = nullptr;
    TreeSize size{};
    std::optional<Problem> problem;  ///< of its `<<` keys
  };
  Closed close(std::size_t end);

  /// A node that is not added yet.
  Node* make(Node::Kind kind, std::size_t begin, std::size_t end);
  /// A scalar; its text must outlive the document or be in its arena. Null if it is plain and means
  /// null.
  Node* scalar(std::size_t begin, std::size_t end, std::string_view text, bool quoted);

  /// Adds a node to the innermost open collection, as an item, a key or a key's value, or sets the
  /// root.
  void add(Node* node, TreeSize size = {});

 private:
  /// Larger weights are clamped to this.
  static constexpr std::size_t kMaxWeight = 2 * kExpansionLimit;

  Span where_;
  Document& document_;
  Arena& arena_;
  std::vector<Open> open_;
  std::vector<const Node*> items_;  ///< of all open sequences, the outermost's first
  std::vector<Entry> entries_;      ///< of all open mappings, likewise
  std::size_t merge_budget_ = kExpansionLimit;
};

/// Reads the text at `where` with yaml-cpp into `document`: its tree and comments, or its problems.
/// The document must have its arena, and its bytes must be checked (bytes.h).
void read_events(const SourceFile& file, Span where, Document& document);

enum class QuickEnd : std::uint8_t {
  read,      ///< the whole document
  given_up,  ///< it has what only `read_events` can read
  action,    ///< it is a template: its first action (`{{`) begins a value or a line
};

/// Reads the plain YAML and JSON of nearly all files into `document`: block mappings and lists,
/// plain, quoted and block scalars, and simple flow collections. The result is that of
/// `read_events`, spans included (a test and a fuzz harness compare the two), in a twentieth of the
/// time. Leaves the document unchanged if it reads less than all of it.
QuickEnd read_quickly(const SourceFile& file, Span where, Document& document);

/// Marks each entry whose key is repeated further down, also in another spelling (`no` and
/// `false`).
void mark_overridden(std::span<Entry> entries);

}  // namespace cnsched::yaml
