#pragma once

#include "cli/lsp/cursor.h"
#include "cli/lsp/hover_text.h"

namespace cnsched::cli::lsp {

/// For a value that decides placement: what the effective pods have in its place, and where that is
/// written. Adds nothing for other values.
void add_effective_values(const Cursor& cursor, const Session& session, HoverText& text);

}  // namespace cnsched::cli::lsp
