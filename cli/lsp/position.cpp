#include "cli/lsp/position.h"

#include <algorithm>

#include "core/base/char_set.h"
#include "core/base/text.h"

namespace cnsched::cli::lsp {

namespace {

/// The length of the character at the beginning of the text. Invalid bytes are one each, as editors
/// show them.
std::size_t length_of_first(std::string_view text) {
  return std::max<std::size_t>(utf8_length(text), 1);
}

/// What the character of `length` bytes counts. Only those beyond the BMP have four bytes.
std::size_t units_of(std::size_t length, PositionEncoding encoding) {
  constexpr std::size_t kBeyondBmp = 4;
  if (encoding == PositionEncoding::utf8) return length;
  return length == kBeyondBmp ? 2 : 1;
}

std::size_t units_in(std::string_view text, PositionEncoding encoding) {
  if (encoding == PositionEncoding::utf8) return text.size();
  std::size_t units = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of_first(text.substr(at));
    units += units_of(length, encoding);
    at += length;
  }
  return units;
}

/// Where the line after the one at `begin` begins, or npos.
std::size_t next_line(std::string_view text, std::size_t begin) {
  const std::size_t end = kLineEnds.find_first_in(text, begin);
  if (end == std::string_view::npos) return end;
  return text.substr(end).starts_with("\r\n") ? end + 2 : end + 1;
}

}  // namespace

std::size_t offset_of(std::string_view text, Place place, PositionEncoding encoding) {
  std::size_t begin = 0;
  for (std::size_t line = 0; line < place.line; ++line) {
    begin = next_line(text, begin);
    if (begin == std::string_view::npos) return text.size();
  }
  const std::size_t end = std::min(kLineEnds.find_first_in(text, begin), text.size());
  std::size_t at = begin;
  for (std::size_t units = 0; at < end;) {
    const std::size_t length = length_of_first(text.substr(at, end - at));
    units += units_of(length, encoding);
    if (units > place.character) break;
    at += length;
  }
  return at;
}

Place place_of(const SourceFile& file, std::uint32_t offset, PositionEncoding encoding,
               bool is_open) {
  const std::size_t line = file.line_of(offset);
  std::uint32_t start = file.line_start(line);
  const bool has_mark = line == 1 && !is_open && file.bytes().starts_with(kByteOrderMark);
  if (has_mark) start = std::min(static_cast<std::uint32_t>(kByteOrderMark.size()), offset);
  return {line - 1, units_in(file.bytes().substr(start, offset - start), encoding)};
}

Range range_of(const SourceFile& file, Span span, PositionEncoding encoding, bool is_open) {
  return {place_of(file, span.begin, encoding, is_open),
          place_of(file, span.end, encoding, is_open)};
}

Json json_of(const Range& range) {
  const auto json_of_place = [](const Place& place) {
    return Json{{"line", place.line}, {"character", place.character}};
  };
  return {{"start", json_of_place(range.start)}, {"end", json_of_place(range.end)}};
}

std::optional<Place> place_in(const Json& json) {
  const auto line = number_of(member(json, "line"));
  const auto character = number_of(member(json, "character"));
  if (!line || !character) return std::nullopt;
  return Place{*line, *character};
}

std::optional<Range> range_in(const Json& json) {
  const auto start = place_in(member(json, "start"));
  const auto end = place_in(member(json, "end"));
  if (!start || !end) return std::nullopt;
  return Range{*start, *end};
}

}  // namespace cnsched::cli::lsp
