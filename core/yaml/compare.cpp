#include "core/yaml/compare.h"

#include <algorithm>

#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::yaml {

namespace {

bool same_scalar(const Node& a, const Node& b) {
  const auto literal = json_literal(a);
  return literal == json_literal(b) && (literal || a.text() == b.text());
}

bool same_entry(const Entry& a, const Entry& b) {
  return key_text(*a.key) == key_text(*b.key) && same_value(*a.value, *b.value);
}

}  // namespace

bool same_value(const Node& a, const Node& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Node::Kind::missing:
    case Node::Kind::null:
      return true;
    case Node::Kind::scalar:
      return same_scalar(a, b);
    case Node::Kind::sequence:
      return std::ranges::equal(a.items(), b.items(), [](const Node* one, const Node* other) {
        return same_value(*one, *other);
      });
    case Node::Kind::mapping:
      break;
  }
  return std::ranges::equal(entries_of(a), entries_of(b), same_entry);
}

}  // namespace cnsched::yaml
