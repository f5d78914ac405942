#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace cnsched::yaml {

// Where the parts of a YAML text end. yaml-cpp tells where a token begins and what it means; these
// find the rest in the bytes. All positions are offsets in `text`.

inline constexpr std::string_view kBlanks = " \t\r\n";

/// Past blanks, line ends and comments.
std::size_t skip_blank(std::string_view text, std::size_t at);

/// Past anchors and tags, to where the value itself begins; behind them if nothing follows.
std::size_t skip_properties(std::string_view text, std::size_t at);

/// Behind the anchors and tags that stand at `at` on one line.
std::size_t end_of_properties_on_line(std::string_view text, std::size_t at);

/// Behind the quote that closes the one at `begin`, or nothing if none does.
std::optional<std::size_t> end_of_quoted(std::string_view text, std::size_t begin);

/// Behind the plain scalar at `begin`, which means `value`.
std::size_t end_of_plain(std::string_view text, std::size_t begin, std::string_view value);

/// Behind the alias at `begin`.
std::size_t end_of_alias(std::string_view text, std::size_t begin);

/// Behind the last line with content of the block scalar whose header is at `begin`. It holds the
/// lines that are indented more than column `outer`, or all of them if it is the whole document.
std::size_t end_of_block_scalar(std::string_view text, std::size_t begin,
                                std::optional<std::size_t> outer);

/// How many bytes lie between the start of the line and `at`.
std::size_t column_of(std::string_view text, std::size_t at);

/// Where the line that holds `at` ends: at its LF or CRLF, or at the end of the text.
std::size_t end_of_line(std::string_view text, std::size_t at);

}  // namespace cnsched::yaml
