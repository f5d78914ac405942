#pragma once

#include "cli/lsp/question.h"
#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

/// textDocument/documentSymbol: the objects of the file, below each its pods' components, and below
/// those the containers. A flat list if the client knows no other.
Json document_symbols(const Question& question, const Session& session);

}  // namespace cnsched::cli::lsp
