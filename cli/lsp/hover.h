#pragma once

#include "cli/lsp/question.h"
#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

/// textDocument/hover: of a value that decides placement, what the effective pods have in its
/// place; of a toleration or selector, the known pools that match; of an accelerator, its record.
/// Null where there is nothing to say.
Json hover(const Question& question, const Session& session);

}  // namespace cnsched::cli::lsp
