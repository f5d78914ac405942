#pragma once

#include <atomic>
#include <optional>
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
  bool refreshes_hints = false;      ///< likewise for inlay hints
  bool watches = false;              ///< watches files for the server
  bool document_changes = false;     ///< takes edits with the versions of documents
  bool nests_symbols = false;        ///< understands DocumentSymbol, not only SymbolInformation
  bool configures = false;           ///< answers workspace/configuration
  bool tells_settings = false;       ///< registers the server for changed settings
  bool shows_progress = false;
  bool hovers_in_markdown = false;
};

/// What requests are answered from: the last check, the texts that the client has open, and how it
/// counts positions.
struct Session {
  const Checker& checker;
  const Documents& documents;
  const ClientAbilities& client;
  const std::atomic<bool>* cancelled = nullptr;  ///< of the request that is answered

  /// Whether the client does not want the answer any more: what takes long may stop.
  bool is_cancelled() const { return cancelled != nullptr && *cancelled; }
  /// As the client writes it, if it has the document open.
  std::string uri_of(const std::string& path) const;
  /// The offset of a position in a file of the workspace; nothing if the last good text stands in
  /// for that of the client and does not have the position.
  std::optional<std::uint32_t> offset_at(const SourceFile& file, Place place) const;
  /// The place of a span for the client.
  Range range_of(Span where) const;
  /// A Location of the protocol.
  Json location_of(Span where) const;
};

}  // namespace cnsched::cli::lsp
