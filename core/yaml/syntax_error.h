#pragma once

#include <optional>

#include <string>
#include <string_view>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// The syntax error in the author's terms. yaml-cpp names the token that it expected, which is
/// seldom the mistake, and `offset` (from the start of the document) is where it stopped.
Problem explain(const SourceFile& file, Span where, std::size_t offset,
                std::string_view yaml_cpp_message);

/// Why a document ends before the text at `offset`, which kubectl silently drops.
Problem explain_early_end(const SourceFile& file, Span where, std::size_t offset);

/// The first line of a document that fits nothing above it, and the likely mistake. Nothing if all
/// lines look right: only a parser finds the error then.
std::optional<Problem> locate_syntax_error(const SourceFile& file, Span where);

/// The likely mistake in a line that is neither a key nor an item nor part of a text. `line` is its
/// content, without the indentation.
Problem explain_unexpected_line(const SourceFile& file, Span line);

/// At most 40 characters of `text`, for a message.
std::string excerpt(std::string_view text);

}  // namespace cnsched::yaml
