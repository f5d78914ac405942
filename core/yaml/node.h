#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/source/source_file.h"

namespace cnsched::yaml {

struct Entry;

/// What a plain scalar becomes on its way to Kubernetes (core/yaml/scalar.h). Quoted: a string.
enum class ScalarType : std::uint8_t { string, boolean, integer, floating };

/// One value of a YAML document. Nodes live in an Arena, never change after parsing and never
/// outlive it, so rules hand them around as plain const references. There are as many as there are
/// words in all manifests of a run: what is never there together shares its place.
struct Node {
  enum class Kind : std::uint8_t { missing, null, scalar, sequence, mapping };
  Kind kind = Kind::missing;
  ScalarType type = ScalarType::string;  ///< of a scalar
  bool quoted = false;                   ///< "true" is a string, true a boolean
  bool made = false;  ///< no file holds the value (tree.h); `span` is what gave rise to it, if any
  Span span;          ///< with quotes; for an alias, the alias itself

  /// The sequence or mapping that holds it.
  const Node* parent() const { return has_key_ ? key_or_parent_->key_or_parent_ : key_or_parent_; }
  /// Of a mapping's value.
  const Node* key() const { return has_key_ ? key_or_parent_ : nullptr; }
  /// The text of a scalar, escapes resolved; otherwise nothing.
  constexpr std::string_view text() const {
    const Node& holder = content();
    return holder.is_scalar() ? std::string_view(holder.text_, holder.count_) : std::string_view();
  }
  /// What a sequence holds; otherwise nothing.
  std::span<const Node* const> items() const {
    const Node& holder = content();
    if (!holder.is_sequence()) return {};
    return {holder.items_, holder.count_};
  }
  /// What a mapping holds, in file order, duplicate keys kept; otherwise nothing.
  inline std::span<const Entry> entries() const;
  /// Of an alias: the node that it repeats; otherwise null.
  const Node* anchored() const { return is_alias_ ? anchored_ : nullptr; }

  // For those who make trees. What they hand over has to outlive the node; `kind` is theirs to set.
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
  /// Makes it an alias of `anchored`, whose content it shares.
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
  /// Makes it a key of `parent`, or an item.
  void set_parent(const Node& parent) {
    key_or_parent_ = &parent;
    has_key_ = false;
  }
  /// Makes it the value of `key`, whose parent is its own.
  void set_key(const Node& key) {
    key_or_parent_ = &key;
    has_key_ = true;
  }

  /// The value under `key`, or a missing node: node["affinity"]["nodeAffinity"] needs no ifs.
  /// Of duplicate keys the last, as Kubernetes reads them; what `<<` merges in comes after those.
  const Node& operator[](std::string_view key) const;
  /// The item at `index`, or a missing node.
  const Node& at(std::size_t index) const;

  explicit operator bool() const { return kind != Kind::missing; }
  bool is_missing() const { return kind == Kind::missing; }
  bool is_null() const { return kind == Kind::null; }
  constexpr bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }
  bool is_string() const { return is_scalar() && type == ScalarType::string; }
  /// Nothing is written here that a controller would see: missing, null, {} or [].
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

/// Something of a key that few others share, so that a search for one need not look at most of
/// them. Never 0.
constexpr std::uint32_t digest_of(std::string_view key) {
  if (key.empty()) return 1;
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(key[at]));
  };
  return (1U << 24U | byte(0) << 16U | byte(key.size() / 2) << 8U | byte(key.size() - 1)) ^
         static_cast<std::uint32_t>(key.size() << 25U);
}

/// One key of a mapping and its value.
struct Entry {
  const Node* key = nullptr;
  const Node* value = nullptr;
  bool merged = false;       ///< comes from another mapping by `<<`
  bool overridden = false;   ///< the same key comes again further down, and wins
  std::uint32_t digest = 0;  ///< digest_of the key's text; 0: nobody has found it out
};

inline std::span<const Entry> Node::entries() const {
  const Node& holder = content();
  if (!holder.is_mapping()) return {};
  return {holder.entries_, holder.count_};
}

inline void Node::set_entries(std::span<const Entry> entries) {
  entries_ = entries.data();
  count_ = static_cast<std::uint32_t>(entries.size());
  is_alias_ = false;
}

const Node& missing_node();

/// `name` as one step of a JSON Pointer.
std::string pointer_step(std::string_view name);

/// The way from `root` down to `node` as a JSON Pointer (RFC 6901); empty if `node` is written
/// elsewhere, and an alias repeats it below `root`.
std::string pointer_to(const Node& node, const Node& root);

}  // namespace cnsched::yaml
