#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cli/lsp/json.h"
#include "core/base/diff.h"
#include "core/base/result.h"
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

struct PlaceRange {
  Place start;
  Place end;

  /// Whether the two have a position in common, perhaps only the end of one.
  bool touches(const PlaceRange& other) const { return start <= other.end && other.start <= end; }
};

/// The offset of a position in a text, whose lines end with LF, CRLF or a lone CR. A position
/// after the end of its line is the end of the line, one after the last line is the end of the
/// text, and one within a character is its beginning.
std::size_t offset_of(std::string_view text, Place place, PositionEncoding encoding);

/// The position of an offset. The client does not see a byte order mark of a file on the disk; what
/// an open document begins with is text like any other.
Place place_of(const SourceFile& file, std::uint32_t offset, PositionEncoding encoding,
               bool is_open);
PlaceRange range_of(const SourceFile& file, Span span, PositionEncoding encoding, bool is_open);

Json json_of(const PlaceRange& range);
/// Nothing if the value is no range.
std::optional<PlaceRange> range_in(const Json& json);
std::optional<Place> place_in(const Json& json);

/// The absolute path that a `file` URI names, lexically normal. Nothing for other schemes and
/// hosts.
std::optional<std::string> path_of_uri(std::string_view uri);
/// The `file` URI of an absolute path.
std::string uri_of_path(std::string_view path);

/// A document that the client has open. Its text replaces that of the file.
struct OpenDocument {
  std::string uri;  ///< as the client writes it
  std::string path;
  std::int64_t version = 0;
  std::string text;
};

/// The open documents that are files, by their paths.
class Documents {
 public:
  /// Opens a document, from the parameters of textDocument/didOpen. Documents that are no files
  /// are ignored. Fails if the parameters are invalid, as the others do.
  Result<bool> open(const Json& params);
  /// Applies the changes of textDocument/didChange, one after the other.
  Result<bool> change(const Json& params, PositionEncoding encoding);
  Result<bool> close(const Json& params);

  const OpenDocument* find(const std::string& path) const;
  const std::map<std::string, OpenDocument>& all() const { return by_path_; }

 private:
  OpenDocument* find_by_uri(const Json& params);

  std::map<std::string, OpenDocument> by_path_;
};

/// Applies one TextDocumentContentChangeEvent. False if it is invalid.
bool apply_change(const Json& change, PositionEncoding encoding, std::string& text);

/// The last text of a document without syntax errors, which replaces the text that the client
/// has, and how the two correspond: they begin and end with the same bytes.
class LastGoodText {
 public:
  LastGoodText(const SourceFile& current, std::string good);

  /// The text that the client has.
  const SourceFile& current() const { return current_; }
  /// An offset of the client's text in this one; nothing if it is in what differs.
  std::optional<std::uint32_t> from_current(std::size_t offset) const;
  /// The reverse; what differs is the end of what is the same.
  std::uint32_t to_current(std::uint32_t offset) const;

 private:
  SourceFile current_;
  std::string good_;
  CommonEnds same_;
};

}  // namespace cnsched::cli::lsp
