#include "core/workspace/rendered_origins.h"

namespace cnsched {

RenderedOrigins::RenderedOrigins(const Workspace& workspace) : workspace_(workspace) {
  for (const auto& file : workspace.sources) {
    if (workspace.is_source(file->id())) sources_[file->path()] = file->id();
  }
}

Origin RenderedOrigins::of(Span where, Aspect aspect) const {
  const LoadedDocument* document = workspace_.document_around(where);
  if (document == nullptr) return {};
  return workspace_.origins()->of(workspace_.file_of(where), document->document, where, aspect);
}

std::optional<Span> RenderedOrigins::span_of(const SourcePlace& place) const {
  const auto file = sources_.find(place.path);
  if (file == sources_.end()) return std::nullopt;
  return Span{file->second, place.begin, place.end};
}

}  // namespace cnsched
