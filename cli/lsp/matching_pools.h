#pragma once

#include "cli/lsp/cursor.h"
#include "cli/lsp/hover_text.h"

namespace cnsched::cli::lsp {

/// For a toleration or a requirement on nodes: which of the known nodes and pools match. Adds
/// nothing for other values.
void add_matching_pools(const Cursor& cursor, const Session& session, HoverText& text);

}  // namespace cnsched::cli::lsp
