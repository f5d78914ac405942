#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
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

/// A place as people count it: both from 1, the column in code points.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// The bytes of one input and where its lines begin. Lines end with LF, CRLF or a lone CR; they are
/// looked for when somebody first asks, for most files are never talked about.
class SourceFile {
 public:
  SourceFile(FileId id, std::string path, std::string bytes);

  FileId id() const { return id_; }
  /// As the user named it, or as found below a directory that the user named.
  const std::string& path() const { return path_; }
  std::string_view bytes() const { return bytes_; }
  std::string_view text(Span span) const;
  /// All of its bytes.
  Span whole() const { return {id_, 0, static_cast<std::uint32_t>(bytes_.size())}; }

  /// Gives back the memory of all but the first `size` bytes, before anybody asks for lines.
  void keep_first(std::size_t size);

  std::size_t line_count() const { return lines().starts.size(); }
  /// The line (from 1) that holds the byte at `offset`.
  std::size_t line_of(std::uint32_t offset) const;
  /// Where the line (from 1) begins.
  std::uint32_t line_start(std::size_t line) const { return lines().starts[line - 1]; }
  /// The line (from 1) without its end.
  std::string_view line(std::size_t line) const;
  /// A byte order mark is no column.
  Position position(std::uint32_t offset) const;

 private:
  struct Lines {
    std::vector<std::uint32_t> starts;
    std::vector<std::uint32_t> points_before;  ///< code points before each block of kBlock bytes
  };
  /// From any thread.
  const Lines& lines() const;
  std::size_t code_points_before(std::uint32_t offset) const;

  FileId id_;
  std::string path_;
  std::string bytes_;
  mutable std::mutex finding_lines_;
  mutable std::atomic<bool> has_lines_ = false;
  mutable Lines lines_;
};

/// Every file of a run, by its id: 0, 1, 2, …
using Sources = std::vector<std::unique_ptr<const SourceFile>>;

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace cnsched
