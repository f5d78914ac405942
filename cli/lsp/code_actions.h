#pragma once

#include <string_view>

#include "core/source/source_file.h"

namespace cnsched::cli::lsp {

/// The edit of whole lines that changes the file's text into `text`.
Edit edit_between(const SourceFile& file, std::string_view text);

}  // namespace cnsched::cli::lsp
