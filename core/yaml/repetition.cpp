#include "core/yaml/repetition.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/yaml/walk.h"

namespace cnsched::yaml {

namespace {

bool is_within(const Node* node, const Node& other) {
  while (node != nullptr && node != &other) node = node->parent();
  return node == &other;
}

/// Whether what is done to the node, or only to what is in it, shows at the user as well.
bool shows(const Repetition& repetition, const Node& node, Effect effect) {
  const auto& [user, target] = repetition;
  if (is_within(&node, *target)) return true;
  const bool goes = is_within(target, node) || target == node.key();
  return effect == Effect::away && goes && !is_within(user, node);
}

}  // namespace

std::string name_in(const Document& document, const Node& node) {
  const std::string pointer = pointer_to(node, *document.root);
  return pointer.empty() ? "the document" : fmt::format("'{}'", pointer);
}

std::vector<Repetition> repetitions_in(const Document& document) {
  std::vector<Repetition> all;
  walk(*document.root, [&](const Node& node) {
    if (node.anchored() != nullptr) all.push_back({&node, node.anchored()});
    for (const Entry& entry : node.entries()) {
      const Node* key = entry.key->anchored();
      if (entry.merged) all.push_back({&node, entry.value->parent()});
      if (!entry.merged && key != nullptr) all.push_back({entry.value, key});
    }
  });
  return all;
}

std::optional<Error> obstacle(const Document& document, const std::vector<Repetition>& repetitions,
                              const Node& node, Effect effect) {
  if (node.is_missing() || !is_within(&node, *document.root)) {
    return Error{"what is not written in the document cannot be edited"};
  }
  if (std::ranges::none_of(repetitions,
                           [&](const Repetition& r) { return shows(r, node, effect); })) {
    return std::nullopt;
  }
  return Error{
      fmt::format("{} shows in two places, for an alias repeats it", name_in(document, node))};
}

}  // namespace cnsched::yaml
