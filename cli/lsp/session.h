#pragma once

#include <string>

#include "cli/lsp/checker.h"
#include "cli/lsp/documents.h"
#include "cli/lsp/json.h"
#include "cli/lsp/position.h"

namespace cnsched::cli::lsp {

/// What the client understands.
struct ClientAbilities {
  PositionEncoding encoding = PositionEncoding::utf16;
  bool related_information = false;  ///< otherwise notes become part of the message
  bool pulls = false;                ///< asks for diagnostics: none are pushed
  bool refreshes = false;            ///< asks again for diagnostics when it is told to
  bool watches = false;              ///< watches files for the server
  bool document_changes = false;     ///< takes edits with the versions of documents
  bool hierarchical_symbols = false;
  bool hovers_in_markdown = false;
};

/// What requests are answered from: the last check, the texts that the client has open, and how it
/// counts positions.
struct Session {
  const Checker& checker;
  const Documents& documents;
  const ClientAbilities& client;

  /// As the client writes it, if it has the document open.
  std::string uri_of(const std::string& path) const;
  /// The place of a span for the client.
  Range range_of(Span where) const;
  /// A Location of the protocol.
  Json location_of(Span where) const;
};

}  // namespace cnsched::cli::lsp
