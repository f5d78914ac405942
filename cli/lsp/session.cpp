#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

std::string Session::uri_of(const std::string& path) const {
  const OpenDocument* open = documents.find(path);
  return open != nullptr ? open->uri : uri_of_path(path);
}

Range Session::range_of(Span where) const {
  const std::string& path = checker.path_of(where.file);
  return lsp::range_of(checker.opened()->workspace.file_of(where), where, client.encoding,
                       documents.find(path) != nullptr);
}

Json Session::location_of(Span where) const {
  return {{"uri", uri_of(checker.path_of(where.file))}, {"range", json_of(range_of(where))}};
}

}  // namespace cnsched::cli::lsp
