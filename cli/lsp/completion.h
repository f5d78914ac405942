#pragma once

#include "cli/lsp/question.h"
#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

/// textDocument/completion: the fields that the schema has at the cursor, and known values. The
/// line may be half typed.
Json completions(const Question& question, const Session& session);

}  // namespace cnsched::cli::lsp
