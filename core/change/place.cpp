#include "core/change/place.h"

#include <set>

#include "core/workspace/rendered_origins.h"

namespace cnsched::change {

Place place_of(const yaml::Node* node) {
  if (node == nullptr || node->span == Span{}) return {};
  return {node->made ? Place::Kind::cause : Place::Kind::value, node->span};
}

Place place_around(const yaml::Node& node) {
  if (node.span == Span{}) return {};
  const yaml::Node* key = node.key();
  const bool has_key = key != nullptr && key->span != Span{} && key->span.file == node.span.file;
  return {Place::Kind::around, has_key ? key->span : node.span};
}

void move_to_sources(const Workspace& workspace, const std::vector<Place*>& places) {
  if (workspace.origins() == nullptr) return;
  std::set<std::string> files;
  const auto is_rendered = [&](const Place& place) {
    return place.kind != Place::Kind::none && workspace.is_rendered(place.where.file);
  };
  for (const Place* place : places) {
    if (is_rendered(*place)) files.insert(workspace.file_of(place->where).path());
  }
  if (files.empty()) return;
  workspace.origins()->prepare(files);
  const RenderedOrigins origins(workspace);
  for (Place* place : places) {
    if (!is_rendered(*place)) continue;
    const Origin origin = origins.of(place->where, Aspect::value);
    place->rendered_from = origin.file;
    const auto source = origins.span_of(origin.place);
    if (!source) continue;
    place->where = *source;
    place->rendered_from.clear();
  }
}

}  // namespace cnsched::change
