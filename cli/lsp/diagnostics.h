#pragma once

#include "cli/lsp/checker.h"
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
};

/// Clients stop to show more.
inline constexpr std::size_t kMaxPerFile = 5000;

/// A finding as a Diagnostic of the protocol.
Json json_of(const Diagnostic& finding, const Checker& checker, const ClientAbilities& client);
/// Those of a file; an empty array if it is not linted.
Json diagnostics_of(const std::string& path, const Checker& checker, const ClientAbilities& client);

/// Differs if the diagnostics of the file do, as long as the texts of all files stay the same.
std::size_t signature_of(const Checker::File& file);

/// The place of a span for the client.
Range range_of(Span where, const Checker& checker, const ClientAbilities& client);

}  // namespace cnsched::cli::lsp
