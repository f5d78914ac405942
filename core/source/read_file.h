#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/source/limits.h"

namespace cnsched {

/// A file that is open to be read, or standard input.
class OpenFile {
 public:
  /// `path`, or "-" for standard input. Fails, with the system's words, for what is not there or
  /// may not be read.
  static Result<OpenFile> open(const std::string& path);

  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();

  /// The bytes of a regular file; nothing of what lies in no file, and is as long as it turns out
  /// to be.
  std::optional<std::size_t> size() const { return size_; }
  /// Everything that it has to say, up to `limit` bytes; `flag` allows more. Fails, with the
  /// system's words, for a directory, for what is larger and for what cannot be read.
  Result<std::string> read(std::size_t limit, std::string_view flag) const;

 private:
  explicit OpenFile(int descriptor);

  int descriptor_;
  std::optional<std::size_t> size_;
};

/// All of `path`, as OpenFile reads it.
Result<std::string> read_file(const std::string& path, std::size_t limit,
                              std::string_view flag = {});

/// The same, `kFileSizeLimit` by default; the error begins with the path, for users.
Result<std::string> read_named_file(const std::string& path, std::size_t limit = kFileSizeLimit,
                                    std::string_view flag = {});

/// Why there is nothing at `path`, with what is called like it beside it.
std::string no_such_file(const std::string& path);

}  // namespace cnsched
