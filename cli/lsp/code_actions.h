#pragma once

#include "cli/lsp/question.h"
#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

/// textDocument/codeAction: for the findings in the range, their fixes, and comments that suppress
/// them. Only the client applies the edits.
Json code_actions(const Question& question, const Session& session);

}  // namespace cnsched::cli::lsp
