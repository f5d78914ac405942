#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/yaml/document.h"

namespace cnsched::yaml {

// The ends of the parts of a YAML text. yaml-cpp gives the beginning and the meaning of a token;
// these functions find the rest in the bytes. All positions are offsets in `text`.

inline constexpr std::string_view kBlanks = " \t\r\n";

/// The next position from `at` on after blanks, line ends and comments.
std::size_t skip_blank(std::string_view text, std::size_t at);

/// The beginning of the value after anchors and tags; their end if nothing follows.
std::size_t skip_properties(std::string_view text, std::size_t at);

/// The end of the anchors and tags at `at`, on its line.
std::size_t end_of_properties_on_line(std::string_view text, std::size_t at);

/// The end of the quoted scalar at `begin`, or nothing if it is not closed.
std::optional<std::size_t> end_of_quoted(std::string_view text, std::size_t begin);

/// The end of the plain scalar at `begin` whose content is `value`.
std::size_t end_of_plain(std::string_view text, std::size_t begin, std::string_view value);

/// The end of the alias at `begin`.
std::size_t end_of_alias(std::string_view text, std::size_t begin);

/// The end of the last line with content of the block scalar whose header is at `begin`. Its lines
/// are those indented deeper than column `outer`, or all of them if it is the whole document.
std::size_t end_of_block_scalar(std::string_view text, std::size_t begin,
                                std::optional<std::size_t> outer);

/// The number of bytes between the start of the line and `at`.
std::size_t column_of(std::string_view text, std::size_t at);

/// The end of the line of `at`: its LF or CRLF, or the end of the text.
std::size_t end_of_line(std::string_view text, std::size_t at);

// What is between the scalars of a document. `scalars` are sorted.

/// The first error there that yaml-cpp accepts and Kubernetes' parser rejects: a tab in
/// indentation, or a directive other than `%YAML 1.1` and `%TAG` before a `---`.
std::optional<Problem> find_bad_gap(const SourceFile& file, Span where,
                                    const std::vector<Span>& scalars);

/// Why Kubernetes' parser rejects a line that begins with '%'; nothing if it is a valid directive.
std::optional<Problem> check_directive(const SourceFile& file, Span line);

/// The comments of a document. A '#' within a scalar does not begin one.
std::vector<Comment> find_comments(const SourceFile& file, Span where,
                                   const std::vector<Span>& scalars);

}  // namespace cnsched::yaml
