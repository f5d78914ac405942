#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cli/lsp/json.h"
#include "core/source/source_file.h"

namespace cnsched::cli::lsp {

/// What `character` of a position counts.
enum class PositionEncoding : std::uint8_t { utf8, utf16 };

/// A position of the protocol. Both count from 0.
struct Place {
  std::size_t line = 0;
  std::size_t character = 0;

  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Range {
  Place start;
  Place end;

  /// Whether the two have a position in common, perhaps only the end of one.
  bool touches(const Range& other) const { return start <= other.end && other.start <= end; }
};

/// The offset of a position in a text, whose lines end with LF, CRLF or a lone CR. A position
/// behind the end of its line is the end of the line, one behind the last line is the end of the
/// text, and one within a character is its beginning.
std::size_t offset_of(std::string_view text, Place place, PositionEncoding encoding);

/// The position of an offset. The client does not see a byte order mark of a file on the disk; what
/// an open document begins with is text like any other.
Place place_of(const SourceFile& file, std::uint32_t offset, PositionEncoding encoding,
               bool is_open);
Range range_of(const SourceFile& file, Span span, PositionEncoding encoding, bool is_open);

Json json_of(const Range& range);
/// Nothing if the value is no range.
std::optional<Range> range_in(const Json& json);
std::optional<Place> place_in(const Json& json);

}  // namespace cnsched::cli::lsp
