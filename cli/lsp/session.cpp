#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

std::string Session::uri_of(const std::string& path) const {
  const OpenDocument* open = documents.find(path);
  return open != nullptr ? open->uri : uri_of_path(path);
}

std::optional<std::uint32_t> Session::offset_at(const SourceFile& file, Place place) const {
  if (const StandIn* stand_in = checker.stand_in(file.id())) {
    return stand_in->from_current(offset_of(stand_in->current().bytes(), place, client.encoding));
  }
  return static_cast<std::uint32_t>(offset_of(file.bytes(), place, client.encoding));
}

Range Session::range_of(Span where) const {
  if (const StandIn* stand_in = checker.stand_in(where.file)) {
    where.begin = stand_in->to_current(where.begin);
    where.end = stand_in->to_current(where.end);
    return lsp::range_of(stand_in->current(), where, client.encoding, true);
  }
  const std::string& path = checker.path_of(where.file);
  return lsp::range_of(checker.project()->workspace.file_of(where), where, client.encoding,
                       documents.find(path) != nullptr);
}

Json Session::location_of(Span where) const {
  return {{"uri", uri_of(checker.path_of(where.file))}, {"range", json_of(range_of(where))}};
}

}  // namespace cnsched::cli::lsp
