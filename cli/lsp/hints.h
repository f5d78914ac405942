#pragma once

#include "cli/lsp/question.h"
#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

/// textDocument/inlayHint: what a list of the object replaces in the objects that its pods are
/// built on, and on how many known nodes each pod fits.
Json inlay_hints(const Question& question, const Session& session);

}  // namespace cnsched::cli::lsp
