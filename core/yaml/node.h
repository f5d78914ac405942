#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/source/source_file.h"
#include "core/yaml/field_name.h"

namespace cnsched::yaml {

struct Entry;
struct Node;

const Node& missing_node();

/// The JSON type of a plain scalar (core/yaml/scalar.h). A quoted one is a string.
enum class ScalarType : std::uint8_t { string, boolean, integer, floating };

/// One value of a YAML document. Nodes live in an Arena and never change after parsing, so they are
/// passed as const references. A workspace has one for each word of its manifests, so fields
/// that exclude each other share memory.
struct Node {
  enum class Kind : std::uint8_t { missing, null, scalar, sequence, mapping };
  Kind kind = Kind::missing;
  ScalarType type = ScalarType::string;  ///< of a scalar
  bool quoted = false;                   ///< "true" is a string, true a boolean
  bool made = false;  ///< built (tree.h); `span` is then that of its cause, if any
  Span span;          ///< with quotes; for an alias, the alias itself

  /// The sequence or mapping that contains it; null for a root.
  const Node* parent() const { return has_key_ ? key_or_parent_->key_or_parent_ : key_or_parent_; }
  /// The key of a mapping's value; null for an item or a root.
  const Node* key() const { return has_key_ ? key_or_parent_ : nullptr; }
  /// The text of a scalar with escapes resolved; otherwise empty.
  constexpr std::string_view text() const {
    const Node& holder = content();
    return holder.is_scalar() ? std::string_view(holder.text_, holder.count_) : std::string_view();
  }
  /// The items of a sequence; otherwise empty.
  std::span<const Node* const> items() const {
    const Node& holder = content();
    if (!holder.is_sequence()) return {};
    return {holder.items_, holder.count_};
  }
  /// The entries of a mapping in file order, with duplicate keys; otherwise empty.
  inline std::span<const Entry> entries() const;
  /// The node that an alias repeats; otherwise null.
  const Node* anchored() const { return is_alias_ ? anchored_ : nullptr; }

  // For code that builds trees. The arguments must outlive the node; the caller sets `kind`.
  constexpr void set_text(std::string_view text) {
    text_ = text.data();
    count_ = static_cast<std::uint32_t>(text.size());
    is_alias_ = false;
  }
  void set_items(std::span<const Node* const> items) {
    items_ = items.data();
    count_ = static_cast<std::uint32_t>(items.size());
    is_alias_ = false;
  }
  inline void set_entries(std::span<const Entry> entries);
  /// Makes it an alias of `anchored`.
  void set_anchored(const Node& anchored) {
    kind = anchored.kind;
    type = anchored.type;
    quoted = anchored.quoted;
    anchored_ = &anchored;
    count_ = 0;
    is_alias_ = true;
  }
  /// Makes it the root of a tree.
  void set_root() {
    key_or_parent_ = nullptr;
    has_key_ = false;
  }
  /// Makes it a key or an item of `parent`.
  void set_parent(const Node& parent) {
    key_or_parent_ = &parent;
    has_key_ = false;
  }
  /// Makes it the value of `key`, with the same parent.
  void set_key(const Node& key) {
    key_or_parent_ = &key;
    has_key_ = true;
  }

  /// The value under `key`, or a missing node, so node["affinity"]["nodeAffinity"] is safe. Of
  /// duplicate keys the last, as in Kubernetes; entries that `<<` merges in come after those.
  inline const Node& operator[](FieldName name) const;
  /// The same under a key that is known only at run time.
  const Node& under(std::string_view key) const;
  /// The item at `index`, or a missing node.
  const Node& at(std::size_t index) const;

  explicit operator bool() const { return kind != Kind::missing; }
  bool is_missing() const { return kind == Kind::missing; }
  bool is_null() const { return kind == Kind::null; }
  constexpr bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }
  bool is_string() const { return is_scalar() && type == ScalarType::string; }
  /// Missing, null, {} or [].
  bool is_empty() const { return !is_scalar() && items().empty() && entries().empty(); }

 private:
  constexpr const Node& content() const { return is_alias_ ? *anchored_ : *this; }

  bool is_alias_ = false;
  bool has_key_ = false;
  std::uint32_t count_ = 0;  ///< of bytes, items or entries
  union {
    const char* text_ = nullptr;
    const Node* const* items_;
    const Entry* entries_;
    const Node* anchored_;
  };
  const Node* key_or_parent_ = nullptr;
};

/// One key of a mapping and its value.
struct Entry {
  Entry(const Node& of, const Node& is, bool is_merged = false)
      : key(&of), value(&is), merged(is_merged), number(of.text()) {}

  const Node* key;
  const Node* value;
  bool merged;              ///< comes from another mapping by `<<`
  bool overridden = false;  ///< a later entry has the same key and wins
  KeyNumber number;         ///< of the key's text
};

inline std::span<const Entry> Node::entries() const {
  const Node& holder = content();
  if (!holder.is_mapping()) return {};
  return {holder.entries_, holder.count_};
}

inline const Node& Node::operator[](FieldName name) const {
  const std::span<const Entry> held = entries();
  for (auto entry = held.rbegin(); entry != held.rend(); ++entry) {
    if (entry->number == name.number()) return *entry->value;
  }
  return missing_node();
}

inline void Node::set_entries(std::span<const Entry> entries) {
  entries_ = entries.data();
  count_ = static_cast<std::uint32_t>(entries.size());
  is_alias_ = false;
}

/// `name` as one step of a JSON Pointer.
std::string pointer_step(std::string_view name);
/// The name that such a step has.
std::string name_of_step(std::string_view step);

/// The JSON Pointer (RFC 6901) from `root` to `node`; empty if `node` is not below `root` (an alias
/// there may repeat it).
std::string pointer_to(const Node& node, const Node& root);

/// Calls `visit` with `node` and with every value below it, in file order. Values that an alias
/// repeats or `<<` merges in are visited once, where they are written. If `visit` returns false,
/// the values below the node are skipped.
template <typename Visit>
void walk(const Node& node, Visit&& visit) {
  if constexpr (std::is_same_v<bool, std::invoke_result_t<Visit&, const Node&>>) {
    if (!visit(node)) return;
  } else {
    visit(node);
  }
  if (node.anchored() != nullptr) return;
  for (const Node* item : node.items()) walk(*item, visit);
  for (const Entry& entry : node.entries()) {
    if (!entry.merged) walk(*entry.value, visit);
  }
}

}  // namespace cnsched::yaml
