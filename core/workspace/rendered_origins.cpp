#include "core/workspace/rendered_origins.h"

namespace cnsched {

RenderedOrigins::RenderedOrigins(const Workspace& workspace) : workspace_(workspace) {
  for (const auto& file : workspace.sources) {
    if (workspace.is_source(file->id())) sources_[file->path()] = file->id();
  }
}

packages::OriginQuestion RenderedOrigins::question_of(Span where, packages::Aspect aspect) const {
  const LoadedDocument* document = workspace_.document_around(where);
  if (document == nullptr) return {};
  return {&workspace_.file_of(where), &document->document, where, aspect};
}

void RenderedOrigins::ask(Span where, packages::Aspect aspect) {
  if (!workspace_.is_rendered(where.file)) return;
  const packages::OriginQuestion question = question_of(where, aspect);
  if (question.document != nullptr) questions_.push_back(question);
}

void RenderedOrigins::prepare() {
  if (!questions_.empty()) workspace_.origins()->prepare(questions_);
  questions_.clear();
}

packages::Origin RenderedOrigins::of(Span where, packages::Aspect aspect) const {
  const packages::OriginQuestion question = question_of(where, aspect);
  return question.document == nullptr ? packages::Origin() : workspace_.origins()->of(question);
}

std::optional<Span> RenderedOrigins::span_of(const packages::SourcePlace& place) const {
  const auto file = sources_.find(place.path);
  if (file == sources_.end()) return std::nullopt;
  return Span{file->second, place.begin, place.end};
}

}  // namespace cnsched
