#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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
