#pragma once

#include <string>

#include "cli/lsp/checker.h"
#include "cli/lsp/diagnostics.h"
#include "cli/lsp/documents.h"

namespace cnsched::cli::lsp {

/// What a client asks for in textDocument/codeAction.
struct ActionQuestion {
  std::string path;
  Range range;
  const Json& context;
};

/// The actions for the findings in a range: their fixes, and comments that suppress them. Only the
/// client applies the edits.
Json actions_for(const ActionQuestion& question, const Checker& checker, const Documents& documents,
                 const ClientAbilities& client);

}  // namespace cnsched::cli::lsp
