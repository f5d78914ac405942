#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cli/lsp/json.h"
#include "cli/lsp/position.h"
#include "core/base/result.h"

namespace cnsched::cli::lsp {

/// The absolute path that a `file` URI names, lexically normal. Nothing for other schemes and
/// hosts.
std::optional<std::string> path_of_uri(std::string_view uri);
/// The `file` URI of an absolute path.
std::string uri_of_path(std::string_view path);

/// A document that the client has open. Its text replaces that of the file.
struct OpenDocument {
  std::string uri;  ///< as the client writes it
  std::string path;
  std::int64_t version = 0;
  std::string text;
};

/// The open documents that are files, by their paths.
class Documents {
 public:
  /// Opens a document, from the parameters of textDocument/didOpen. Documents that are no files
  /// are ignored. Fails if the parameters are invalid, as the others do.
  Result<bool> open(const Json& params);
  /// Applies the changes of textDocument/didChange, one after the other.
  Result<bool> change(const Json& params, PositionEncoding encoding);
  Result<bool> close(const Json& params);

  const OpenDocument* find(const std::string& path) const;
  const std::map<std::string, OpenDocument>& all() const { return by_path_; }

 private:
  OpenDocument* find_by_uri(const Json& params);

  std::map<std::string, OpenDocument> by_path_;
};

/// Applies one TextDocumentContentChangeEvent. False if it is invalid.
bool apply_change(const Json& change, PositionEncoding encoding, std::string& text);

}  // namespace cnsched::cli::lsp
