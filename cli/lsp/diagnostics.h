#pragma once

#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

/// Clients stop to show more.
inline constexpr std::size_t kMaxPerFile = 5000;

/// A finding as a Diagnostic of the protocol.
Json json_of(const Diagnostic& finding, const Session& session);
/// Those of a file; an empty array if it is not linted.
Json diagnostics_of(const std::string& path, const Session& session);

/// Differs if the diagnostics of the file do, as long as the texts of all files stay the same.
std::size_t signature_of(const Checker::File& file);

}  // namespace cnsched::cli::lsp
