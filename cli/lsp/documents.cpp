#include "cli/lsp/documents.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/output/safe_text.h"
#include "core/base/scan.h"
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

constexpr std::string_view kScheme = "file://";
constexpr unsigned kTen = 10;
constexpr unsigned kSixteen = 16;

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + kTen;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + kTen;
  return std::nullopt;
}

/// Replaces each %XX. Nothing if one of them is invalid, or a NUL, which no path has.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
    if (!high || !low) return std::nullopt;
    result += static_cast<char>(*high * kSixteen + *low);
    i += 2;
  }
  if (result.find('\0') != std::string::npos) return std::nullopt;
  return result;
}

const Error kInvalid{"the parameters are invalid"};

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

PlaceRange range_of(const SourceFile& file, Span span, PositionEncoding encoding, bool is_open) {
  return {place_of(file, span.begin, encoding, is_open),
          place_of(file, span.end, encoding, is_open)};
}

Json json_of(const PlaceRange& range) {
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

std::optional<PlaceRange> range_in(const Json& json) {
  const auto start = place_in(member(json, "start"));
  const auto end = place_in(member(json, "end"));
  if (!start || !end) return std::nullopt;
  return PlaceRange{*start, *end};
}

std::optional<std::string> path_of_uri(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  constexpr std::string_view kHost = "localhost";
  if (uri.starts_with(kHost)) uri.remove_prefix(kHost.size());
  if (!uri.starts_with('/')) return std::nullopt;
  const auto path = percent_decoded(uri.substr(0, uri.find_first_of("?#")));
  if (!path) return std::nullopt;
  std::string normal = std::filesystem::path(*path).lexically_normal().string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

std::string uri_of_path(std::string_view path) { return std::string(kScheme) + uri_path(path); }

Result<bool> Documents::open(const Json& params) {
  const Json& document = member(params, "textDocument");
  const Json& text = member(document, "text");
  const Json& version = member(document, "version");
  const std::string uri = string_of(member(document, "uri"));
  if (uri.empty() || !text.is_string()) return kInvalid;
  const auto path = path_of_uri(uri);
  if (!path) return false;
  by_path_[*path] = {uri, *path, version.is_number_integer() ? version.get<std::int64_t>() : 0,
                     text.get<std::string>()};
  return true;
}

OpenDocument* Documents::find_by_uri(const Json& params) {
  const auto path = path_of_uri(string_of(member(params, {"textDocument", "uri"})));
  const auto found = path ? by_path_.find(*path) : by_path_.end();
  return found == by_path_.end() ? nullptr : &found->second;
}

Result<bool> Documents::change(const Json& params, PositionEncoding encoding) {
  const Json& changes = member(params, "contentChanges");
  if (!changes.is_array()) return kInvalid;
  OpenDocument* document = find_by_uri(params);
  if (document == nullptr) return false;
  for (const Json& change : changes) {
    if (!apply_change(change, encoding, document->text)) return kInvalid;
  }
  const Json& version = member(params, {"textDocument", "version"});
  if (version.is_number_integer()) document->version = version.get<std::int64_t>();
  return true;
}

Result<bool> Documents::close(const Json& params) {
  if (!member(params, {"textDocument", "uri"}).is_string()) return kInvalid;
  const OpenDocument* document = find_by_uri(params);
  return document != nullptr && by_path_.erase(std::string(document->path)) > 0;
}

const OpenDocument* Documents::find(const std::string& path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &found->second;
}

bool apply_change(const Json& change, PositionEncoding encoding, std::string& text) {
  const Json& replacement = member(change, "text");
  if (!replacement.is_string()) return false;
  const auto& added = replacement.get_ref<const std::string&>();
  const Json& where = member(change, "range");
  if (where.is_null()) {
    text = added;
    return true;
  }
  const auto range = range_in(where);
  if (!range || range->end < range->start) return false;
  const std::size_t begin = offset_of(text, range->start, encoding);
  const std::size_t end = offset_of(text, range->end, encoding);
  text.replace(begin, end - begin, added);
  return true;
}

LastGoodText::LastGoodText(const SourceFile& file, std::string good)
    : current_(file.id(), file.path(), std::string(file.bytes())),
      good_(std::move(good)),
      same_(common_ends(std::string_view(good_), current_.bytes())) {}

std::optional<std::uint32_t> LastGoodText::from_current(std::size_t offset) const {
  const std::size_t size = current_.bytes().size();
  if (offset <= same_.begin) return static_cast<std::uint32_t>(offset);
  if (offset + same_.end < size) return std::nullopt;
  return static_cast<std::uint32_t>(good_.size() - (size - offset));
}

std::uint32_t LastGoodText::to_current(std::uint32_t offset) const {
  if (offset <= same_.begin) return offset;
  if (offset + same_.end < good_.size()) return static_cast<std::uint32_t>(same_.begin);
  const std::size_t from_end = good_.size() - offset;
  return static_cast<std::uint32_t>(current_.bytes().size() - from_end);
}

}  // namespace cnsched::cli::lsp
