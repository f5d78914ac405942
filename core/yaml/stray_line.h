#pragma once

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// What a line that is neither a key nor an item nor part of a text most likely was meant to be.
/// `line` is its content, without the indentation.
Problem explain_stray_line(const SourceFile& file, Span line);

/// `text`, in one piece and short enough for a message.
std::string excerpt(std::string_view text);

}  // namespace cnsched::yaml
