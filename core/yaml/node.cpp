#include "core/yaml/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace cnsched::yaml {

namespace {

/// Whether the node is the value of a `<<`, or an item of a list of these. It is not a step of a
/// pointer: the merged entries belong to the merging mapping.
bool is_merge_source(const Node& node) {
  const Node* holder = node.key() != nullptr ? &node : node.parent();
  return holder != nullptr && holder->key() != nullptr && !holder->key()->quoted &&
         holder->key()->text() == "<<" && (holder == &node || holder->is_sequence());
}

/// The key or index of `node` in its parent.
std::string step_to(const Node& node) {
  if (node.key() != nullptr) return pointer_step(node.key()->text());
  if (node.parent()->is_mapping()) return pointer_step(node.text());
  // Items are in file order, which allows a binary search in long lists.
  auto place = std::ranges::lower_bound(node.parent()->items(), node.span.begin, {},
                                        [](const Node* item) { return item->span.begin; });
  place = std::find(place, node.parent()->items().end(), &node);
  return fmt::to_string(place - node.parent()->items().begin());
}

}  // namespace

KeyNumber::KeyNumber(std::string_view text) {
  // A table of names by hash: each is at its hash or behind it, and no place is far from it.
  constexpr std::size_t kPlaces = std::bit_ceil(4 * kFieldNames.size());
  constexpr auto kHash = [](std::string_view name) {
    const auto byte = [&](std::size_t at) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(name[at]));
    };
    const auto size = static_cast<std::uint32_t>(name.size());
    if (size == 0) return 0U;
    const std::uint32_t mixed =
        byte(0) | byte(size / 2) << 8U | byte(size - 1) << 16U | size << 24U;
    const std::uint32_t spread = mixed * 2654435761U;  // Knuth's multiplicative hash
    return spread ^ spread >> 15U;
  };
  constexpr auto kPlaced = [](auto hash_of) {
    std::array<std::uint16_t, kPlaces> places{};
    for (std::size_t name = 0; name < kFieldNames.size(); ++name) {
      std::size_t place = hash_of(kFieldNames[name]) % kPlaces;
      while (places[place] != 0) place = (place + 1) % kPlaces;
      places[place] = static_cast<std::uint16_t>(name + 1);
    }
    return places;
  };
  static constexpr std::array<std::uint16_t, kPlaces> kTable = kPlaced(kHash);
  const std::uint32_t hash = kHash(text);
  for (std::size_t place = hash % kPlaces; kTable[place] != 0; place = (place + 1) % kPlaces) {
    if (kFieldNames[kTable[place] - 1] == text) {
      value_ = kTable[place] - 1U;
      return;
    }
  }
  value_ = hash | 1U << 31U;
}

const Node& Node::under(std::string_view key) const {
  const std::span<const Entry> held = entries();
  if (held.empty()) return missing_node();
  const KeyNumber number(key);
  for (auto entry = held.rbegin(); entry != held.rend(); ++entry) {
    if (entry->number != number) continue;
    if (number.is_exact() || entry->key->text() == key) return *entry->value;
  }
  return missing_node();
}

const Node& Node::at(std::size_t index) const {
  const std::span<const Node* const> held = items();
  return index < held.size() ? *held[index] : missing_node();
}

const Node& missing_node() {
  static constexpr Node kMissing{};
  return kMissing;
}

std::string pointer_step(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

std::string name_of_step(std::string_view step) {
  std::string name;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool is_escape =
        step[i] == '~' && i + 1 < step.size() && (step[i + 1] == '0' || step[i + 1] == '1');
    name += !is_escape ? step[i] : step[++i] == '1' ? '/' : '~';
  }
  return name;
}

std::string pointer_to(const Node& node, const Node& root) {
  std::vector<std::string> steps;
  const Node* at = &node;
  while (at != &root && at != root.anchored() && at->parent() != nullptr) {
    if (!is_merge_source(*at)) steps.push_back(step_to(*at));
    at = at->parent();
  }
  // An alias repeats a node outside `root`, which is not reached by `parent`.
  if (at != &root && at != root.anchored()) return {};
  std::string pointer;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) pointer += "/" + *step;
  return pointer;
}

}  // namespace cnsched::yaml
