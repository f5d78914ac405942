#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/source/limits.h"

namespace cnsched {

/// A path that cannot be read.
struct Unreadable {
  std::string path;
  std::string reason;
  std::size_t line = 0;  ///< the line that cannot be read; 0: the whole file
};

/// A file opened for reading, or standard input.
class OpenFile {
 public:
  /// `path`, or "-" for standard input. Fails with the system's message if it does not exist or
  /// cannot be read.
  static Result<OpenFile> open(const std::string& path);

  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();

  /// The size of a regular file in bytes; nothing for a pipe or device, whose size is unknown.
  std::optional<std::size_t> size() const { return size_; }
  /// The content, at most `limit` bytes; the error for a larger file names `flag`, which raises the
  /// limit. Fails with the system's message for a directory and for a read error.
  Result<std::string> read(std::size_t limit, std::string_view flag) const;

 private:
  explicit OpenFile(int descriptor);

  int descriptor_;
  std::optional<std::size_t> size_;
};

/// The content of `path`, as OpenFile reads it.
Result<std::string> read_file(const std::string& path, std::size_t limit,
                              std::string_view flag = {});

/// The same; the error begins with the path.
Result<std::string> read_named_file(const std::string& path, std::size_t limit = kFileSizeLimit,
                                    std::string_view flag = {});

/// The error for a text of more than `limit` bytes.
Error too_large(std::size_t limit, std::string_view flag);

/// The error for a missing file, with a suggestion from its directory.
std::string no_such_file(const std::string& path);

}  // namespace cnsched
