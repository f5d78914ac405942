#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched {

using FileId = std::uint32_t;

/// Bytes of one file, half-open. Lines appear only in output.
struct Span {
  FileId file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend auto operator<=>(const Span&, const Span&) = default;
};

/// A position for users: both count from 1, the column in code points.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// The bytes of one input, and its lines, which end with LF, CRLF or a lone CR. The line index is
/// computed on first use, since most files have no findings.
class SourceFile {
 public:
  SourceFile(FileId id, std::string path, std::string bytes);
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;
  ~SourceFile();

  FileId id() const { return id_; }
  /// As the user named it, or as found below a named directory.
  const std::string& path() const { return path_; }
  std::string_view bytes() const { return bytes_; }
  std::string_view text(Span span) const;
  /// The span of all bytes.
  Span whole() const { return {id_, 0, static_cast<std::uint32_t>(bytes_.size())}; }

  /// Frees all but the first `size` bytes. Must precede any call about lines.
  void keep_first(std::size_t size);

  std::size_t line_count() const;
  /// The line (from 1) of the byte at `offset`.
  std::size_t line_of(std::uint32_t offset) const;
  /// The beginning of the line (from 1).
  std::uint32_t line_start(std::size_t line) const;
  /// The text of the line (from 1) without its line break.
  std::string_view line(std::size_t line) const;
  /// A byte order mark takes no column.
  Position position(std::uint32_t offset) const;

 private:
  struct Lines;
  /// Computes the line index on the first call. Safe to call from several threads.
  const Lines& lines() const;
  std::size_t code_points_before(std::uint32_t offset) const;

  FileId id_;
  std::string path_;
  std::string bytes_;
  std::unique_ptr<Lines> lines_;
};

/// All files of the workspace; the index is the id.
using Sources = std::vector<std::shared_ptr<const SourceFile>>;

/// The file and line where a span begins: "svc.yaml:3"; printable.
std::string describe_line(Span where, const Sources& sources);

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// A change of a file: `text` replaces the bytes at `where`. Empty text deletes them.
struct Edit {
  Span where;
  std::string text;
};

/// Applies all edits to `bytes`, which begin at `offset` of the file. Insertions at one position
/// keep their order and precede the replacement of the bytes that follow. Throws
/// std::logic_error if edits overlap, are of different files, or are outside `bytes`.
std::string apply(std::string_view bytes, std::vector<Edit> edits, std::uint32_t offset = 0);

}  // namespace cnsched
