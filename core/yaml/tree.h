#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched {
namespace yaml {

/// A built string outside any arena: a controller's constant. `text` must outlive the node.
constexpr Node constant(std::string_view text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.made = true;
  node.set_text(text);
  return node;
}

/// The key of a built entry. A literal is written "name"_key: controllers set the same few keys in
/// every pod, and all pods share one node for each.
class Key {
 public:
  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions): functions take either
  /// A node that lives as long as the entry.
  constexpr Key(const Node& node) : text_(node.text()), node_(&node) {}
  /// Text known only at run time; the entry gets a copy.
  constexpr Key(std::string_view text) : text_(text) {}
  Key(const std::string& text) : text_(text) {}
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)

  constexpr std::string_view text() const { return text_; }
  /// Its node; null for text.
  constexpr const Node* node() const { return node_; }

 private:
  std::string_view text_;
  const Node* node_ = nullptr;
};

/// A string literal as a template's argument.
template <std::size_t kSize>
struct Literal {
  consteval Literal(const char (&literal)[kSize]) {  // NOLINT: what a literal is
    for (std::size_t i = 0; i < kSize; ++i) text[i] = literal[i];
  }
  char text[kSize];  // NOLINT: what a literal is
};

template <Literal kLiteral>
inline constexpr Node kConstant = constant({kLiteral.text, sizeof(kLiteral.text) - 1});

}  // namespace yaml

template <yaml::Literal kLiteral>
constexpr const yaml::Node& operator""_key() {
  return yaml::kConstant<kLiteral>;
}

}  // namespace cnsched

namespace cnsched::yaml {

// Trees that are built, not parsed: a controller's view of an object. Their leaves are nodes of the
// documents and keep their spans. A new node has the span, parent and key of the node that it is
// made `like`, for messages and pointers.

/// `like` with other entries.
const Node& mapping_like(Arena& arena, const Node& like, const std::vector<Entry>& entries);
/// A sequence made like `like`, which may be of any kind.
const Node& sequence_like(Arena& arena, const Node& like, const std::vector<const Node*>& items);
const Node& string_like(Arena& arena, const Node& like, std::string_view text);
const Node& integer_like(Arena& arena, const Node& like, std::int64_t value);
const Node& boolean_like(Arena& arena, const Node& like, bool value);

/// The `like` of a value that comes from no file, such as a controller's constant.
inline const Node& nowhere() { return missing_node(); }

/// An entry with a built key.
Entry entry_of(Arena& arena, Key key, const Node& value);
/// Sets or replaces the value under `key`.
void set(Arena& arena, std::vector<Entry>& entries, Key key, const Node& value);
/// `mapping` (which may be missing) with the value under `key` set or replaced.
const Node& with(Arena& arena, const Node& mapping, Key key, const Node& value);
const Node& without(Arena& arena, const Node& mapping, std::string_view key);
/// `sequence` (which may be missing) with one more item.
const Node& with_item(Arena& arena, const Node& sequence, const Node& item);

/// `node` with other strings: `text_of` returns the text instead of one, or nothing to keep it.
/// Copies only what changes, and visits aliased nodes once. Below 100 levels nothing changes.
using TextOf = std::function<std::optional<std::string>(std::string_view)>;
const Node& with_strings(Arena& arena, const Node& node, const TextOf& text_of);

/// The effective entries of `mapping`: of duplicate keys the last.
std::vector<Entry> entries_of(const Node& mapping);
/// The entries of `mapping` whose keys are among `fields`.
std::vector<Entry> pick(const Node& mapping, std::span<const std::string_view> fields);

/// A flat mapping merged from several, as controllers merge labels: of equal keys the last value
/// wins, at the position of the first.
class Overlay {
 public:
  explicit Overlay(Arena& arena) : arena_(arena) {}

  void add(const Entry& entry);
  /// An entry with a built key.
  void add(Key key, const Node& value) { add(entry_of(arena_, key, value)); }
  /// Every entry of `mapping`, which may be missing.
  void add_all(const Node& mapping);

  bool has(std::string_view key) const { return places_.contains(key); }
  /// The merged mapping, made like `like`; a missing node if nothing was added.
  const Node& mapping(const Node& like) const;

 private:
  Arena& arena_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

}  // namespace cnsched::yaml
