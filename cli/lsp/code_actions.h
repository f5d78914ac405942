#pragma once

#include <string_view>

#include "cli/lsp/question.h"
#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

/// The kinds of actions (CodeActionKind).
inline constexpr std::string_view kFixKind = "quickfix";
inline constexpr std::string_view kPinKind = "refactor.rewrite";

/// textDocument/codeAction: for the findings in the range, their fixes, and comments that suppress
/// them; for the pods in it, what pins them to an accelerator. Only the client applies the edits.
Json code_actions(const Question& question, const Session& session);

}  // namespace cnsched::cli::lsp
