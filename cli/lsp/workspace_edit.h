#pragma once

#include <string_view>
#include <vector>

#include "cli/lsp/session.h"
#include "core/source/edit.h"

namespace cnsched::cli::lsp {

/// A WorkspaceEdit of the protocol with the edits of one file.
Json workspace_edit(const SourceFile& file, const std::vector<Edit>& edits, const Session& session);

/// The edit of whole lines that changes the file's text into `text`.
Edit edit_between(const SourceFile& file, std::string_view text);

}  // namespace cnsched::cli::lsp
