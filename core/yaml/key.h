#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched {
namespace yaml {

/// A string that is written nowhere and stands in no arena: a controller's constant. It lives as
/// long as both the node and `text` do.
constexpr Node constant(std::string_view text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.made = true;
  node.set_text(text);
  return node;
}

/// The key of an entry that is written nowhere. A literal is said as "name"_key: controllers write
/// the same few keys into every pod, and one node of each does for all pods of a run.
class Key {
 public:
  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions): functions take either
  /// A node that lives as long as the entry.
  constexpr Key(const Node& node) : text_(node.text()), node_(&node) {}
  /// Text that is first known when running; the entry gets a copy.
  constexpr Key(std::string_view text) : text_(text) {}
  Key(const std::string& text) : text_(text) {}
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)

  constexpr std::string_view text() const { return text_; }
  /// Its node; null of text alone.
  constexpr const Node* node() const { return node_; }

 private:
  std::string_view text_;
  const Node* node_ = nullptr;
};

/// A string literal as a template's argument.
template <std::size_t kSize>
struct Literal {
  consteval Literal(const char (&literal)[kSize]) {  // NOLINT: what a literal is
    std::copy_n(literal, kSize, text);
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
