#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

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

}  // namespace cnsched::yaml
