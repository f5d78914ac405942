#pragma once

#include "cli/lsp/question.h"
#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

/// textDocument/definition: the names of the objects that the field at the place refers to, or the
/// name of the object whose name or kind is there. Several if it is not known which of them the
/// cluster has, or if clusters differ.
Json definition(const Question& question, const Session& session);

/// textDocument/references: the fields of the workspace that refer to the object that `definition`
/// finds, sorted by path and place.
Json references(const Question& question, const Session& session);

}  // namespace cnsched::cli::lsp
