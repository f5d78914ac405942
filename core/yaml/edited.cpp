#include "core/yaml/edited.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/yaml/walk.h"

namespace cnsched::yaml {

namespace {

std::vector<Repetition> repetitions_in(const Node& root) {
  std::vector<Repetition> all;
  walk(root, [&](const Node& node) {
    if (node.anchored != nullptr) all.push_back({&node, node.anchored});
    for (const Entry& entry : node.entries) {
      const Node* key = entry.key->anchored;
      if (entry.merged) all.push_back({&node, entry.value->parent});
      if (!entry.merged && key != nullptr) all.push_back({entry.value, key});
    }
  });
  return all;
}

bool is_within(const Node* node, const Node& other) {
  while (node != nullptr && node != &other) node = node->parent;
  return node == &other;
}

/// Whether what is done to the node, or only to what is in it, shows at the user as well.
bool shows(const Repetition& repetition, const Node& node, Change change) {
  const auto& [user, target] = repetition;
  if (is_within(&node, *target)) return true;
  const bool goes = is_within(target, node) || target == node.key;
  return change == Change::away && goes && !is_within(user, node);
}

std::string name_of(const Edited& edited, const Node& node) {
  const std::string pointer = pointer_to(node, *edited.document.root);
  return pointer.empty() ? "the document" : fmt::format("'{}'", pointer);
}

}  // namespace

Edited::Edited(const SourceFile& its_file, const Document& its_document)
    : file(its_file),
      document(its_document),
      layout(its_file, its_document),
      repetitions(repetitions_in(*its_document.root)) {}

Result<std::vector<Edit>> choose(const Edited& edited, const Ways& ways, const Intent& intent) {
  for (const std::vector<Edit>& way : ways) {
    if (achieves(way, edited.file, edited.document, intent)) return way;
  }
  const auto first =
      std::ranges::min_element(intent, {}, [](const auto& change) { return change.first->span; });
  return Error{fmt::format("{} is written in a way that cnsched cannot edit",
                           name_of(edited, *first->first))};
}

std::optional<Error> obstacle(const Edited& edited, const Node& node, Change change) {
  if (node.is_missing() || !is_within(&node, *edited.document.root)) {
    return Error{"what is not written in the document cannot be edited"};
  }
  if (std::ranges::none_of(edited.repetitions,
                           [&](const Repetition& r) { return shows(r, node, change); })) {
    return std::nullopt;
  }
  return Error{
      fmt::format("{} shows in two places, for an alias repeats it", name_of(edited, node))};
}

Edit replace(const Edited& edited, Range range, std::string text) {
  return {edited.layout.span(range), std::move(text)};
}

Edit insert(const Edited& edited, std::size_t at, std::string text) {
  return replace(edited, {at, at}, std::move(text));
}

}  // namespace cnsched::yaml
