#include "templates/path.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::templates {

namespace {

using yaml::Node;

const Node& next(const Node& node, const PathStep& step) {
  return step.index ? node.at(*step.index) : node[step.key];
}

std::string described(const Node& node) {
  return node.key() == nullptr ? "the document"
                               : fmt::format("'{}'", printable(node.key()->text()));
}

/// `value` within new mappings and lists for the steps of `path`.
const Node& wrapped(std::span<const PathStep> path, const Node& value, Arena& arena) {
  if (path.empty()) return value;
  const Node& inner = wrapped(path.subspan(1), value, arena);
  if (path.front().index) return yaml::sequence_like(arena, yaml::nowhere(), {&inner});
  return yaml::with(arena, yaml::nowhere(), path.front().key, inner);
}

}  // namespace

Path path_to(const Node& node) {
  Path path;
  for (const Node* at = &node; at->parent() != nullptr; at = at->parent()) {
    if (at->parent()->is_mapping()) {
      path.push_back({std::string(at->key()->text())});
    } else {
      const auto items = at->parent()->items();
      path.push_back({{}, static_cast<std::size_t>(std::ranges::find(items, at) - items.begin())});
    }
  }
  std::ranges::reverse(path);
  return path;
}

Path below(Path path, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) path.push_back({key});
  return path;
}

Path item_of(Path path, std::size_t index) {
  path.push_back({{}, index});
  return path;
}

Result<std::vector<yaml::Change>> resolved(const PathChange& change, const Node& root,
                                           Arena& arena) {
  using Changes = std::vector<yaml::Change>;
  const std::span<const PathStep> path(change.path);
  const Node* node = &root;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const PathStep& step = path[i];
    const bool is_alias = node->anchored() != nullptr;
    const Node& child = next(*node, step);
    if (!is_alias && !child.is_missing()) {
      node = &child;
      continue;
    }
    if (!is_alias && change.value == nullptr) return Changes();
    const bool fits = node->is_null() || (step.index ? node->is_sequence() : node->is_mapping());
    if (!fits) {
      return Error{fmt::format("{} must be {}, but is {}", described(*node),
                               step.index ? "a list" : "a mapping", yaml::describe(*node))};
    }
    if (is_alias) return Error{fmt::format("{} is an alias", described(*node))};
    const Node& added = wrapped(path.subspan(i + 1), *change.value, arena);
    if (step.index) return Changes{yaml::to_add_item(*node, added)};
    return Changes{yaml::to_add_entry(*node, step.key, added)};
  }
  if (change.value == nullptr) return Changes{yaml::to_erase(*node)};
  return Changes{yaml::to_set(*node, *change.value)};
}

Result<std::string> changed(const std::string& document, const PathChange& change) {
  const SourceFile file(0, "", document);
  const yaml::Document parsed = yaml::parse(file, file.whole());
  Arena arena;
  const auto changes = resolved(change, *parsed.root, arena);
  if (!changes) return changes.error();
  const auto edits = yaml::edits_for(file, parsed, *changes);
  if (!edits) return edits.error();
  return cnsched::apply(document, *edits);
}

}  // namespace cnsched::templates
