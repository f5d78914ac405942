#pragma once

#include <string_view>
#include <vector>

#include "cli/lsp/requests.h"
#include "core/source/source_file.h"

namespace cnsched::cli::lsp {

/// A WorkspaceEdit of the protocol with the edits of one file.
Json workspace_edit(const SourceFile& file, const std::vector<Edit>& edits, const Session& session);

/// The edit of whole lines that changes the file's text into `text`.
Edit edit_between(const SourceFile& file, std::string_view text);

/// Adds actions that pin the pods in the range to an accelerator, as `cnsched generate pin` does:
/// to those that labels of known nodes and pools, or the pods' own selectors, name.
void add_pin_actions(const Question& question, const Session& session, Json& actions);

}  // namespace cnsched::cli::lsp
