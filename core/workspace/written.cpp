#include "core/workspace/written.h"

#include <algorithm>
#include <functional>

namespace cnsched {

namespace {

/// The first of `all` that fulfils `is_it`. What is in a file is in its order, so that one that
/// begins at `at` is found without looking at all of them.
template <typename All, typename IsIt, typename Projection>
auto find_near(const All& all, std::uint32_t at, IsIt is_it, Projection node_of) {
  const auto begin_of = [&](const auto& one) { return std::invoke(node_of, one)->span.begin; };
  const auto near = std::ranges::lower_bound(all, at, {}, begin_of);
  if (near != all.end() && is_it(std::invoke(node_of, *near))) return near;
  return std::ranges::find_if(all, is_it, node_of);
}

/// The node of a document that `node` is, or that a merged pod shows in its place; null if no file
/// holds it.
const yaml::Node* as_written(const yaml::Node& node) {
  if (node.is_missing() || node.made) return nullptr;
  if (node.parent() == nullptr) return &node;
  const yaml::Node* parent = as_written(*node.parent());
  if (parent == nullptr) return nullptr;
  const auto is_it = [&](const yaml::Node* other) {
    return other == &node || (other->span == node.span && other->kind == node.kind);
  };
  const auto item = find_near(parent->items(), node.span.begin, is_it, std::identity());
  if (item != parent->items().end()) return *item;
  const auto entry = find_near(parent->entries(), node.span.begin, is_it, &yaml::Entry::value);
  return entry != parent->entries().end() && !entry->merged ? entry->value : nullptr;
}

/// The document that holds the node, which becomes the one that is written there; null if no linted
/// file holds it.
const yaml::Document* document_of(const yaml::Node*& node, const Workspace& workspace) {
  node = as_written(*node);
  if (node == nullptr || !workspace.is_linted(node->span.file)) return nullptr;
  const k8s::Object* object = workspace.object_around(node->span);
  return object == nullptr ? nullptr : object->document;
}

const yaml::Document* document_of(yaml::Change& change, const Workspace& workspace) {
  if (change.kind == yaml::Change::Kind::comment) {
    const LoadedDocument* loaded = workspace.document_around(change.where);
    return loaded != nullptr && loaded->linted ? &loaded->document : nullptr;
  }
  const yaml::Document* document = document_of(change.node, workspace);
  const bool moves = change.kind == yaml::Change::Kind::move;
  return moves && document_of(change.value, workspace) != document ? nullptr : document;
}

}  // namespace

const yaml::Document* document_of(std::vector<yaml::Change>& changes, const Workspace& workspace) {
  const yaml::Document* document = nullptr;
  for (yaml::Change& change : changes) {
    const yaml::Document* holder = document_of(change, workspace);
    if (holder == nullptr || (document != nullptr && holder != document)) return nullptr;
    document = holder;
  }
  return document;
}

}  // namespace cnsched
