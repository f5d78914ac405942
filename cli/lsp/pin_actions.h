#pragma once

#include "cli/lsp/question.h"
#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

/// Adds actions that pin the pods in the range to an accelerator, as `cnsched generate pin` does:
/// to those that labels of known nodes and pools, or the pods' own selectors, name.
void add_pin_actions(const Question& question, const Session& session, Json& actions);

}  // namespace cnsched::cli::lsp
