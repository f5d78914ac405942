#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace cnsched {

/// Limits, so that a manifest cannot exhaust memory or time. Only flags raise them: a
/// configuration file comes from the same source as the manifests. Limits that no valid manifest
/// reaches are constants (nesting and aliases: core/yaml/parse.h).
struct Limits {
  std::size_t file_size = std::size_t{16} << 20U;   ///< bytes
  std::size_t documents = 200'000;                  ///< of one file
  std::size_t line_length = std::size_t{4} << 20U;  ///< bytes

  friend bool operator==(const Limits&, const Limits&) = default;
};

inline constexpr Limits kNoLimits = {SIZE_MAX, SIZE_MAX, SIZE_MAX};

/// The flags that set the limits, for messages.
inline constexpr const char* kFileSizeFlag = "--max-file-size";
inline constexpr const char* kDocumentsFlag = "--max-documents";
inline constexpr const char* kLineLengthFlag = "--max-line-length";

/// The largest file that a flag can allow: positions have 32 bits.
inline constexpr std::size_t kMaxFileSize = std::size_t{1} << 30U;

/// The limit for files other than manifests (configurations, kustomizations, ignore files).
inline constexpr std::size_t kFileSizeLimit = Limits().file_size;

/// The exact size: "16 MiB", "100 KiB", "1000 bytes".
std::string text_of_size(std::size_t bytes);

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

/// The content of a file that the user named; the error begins with the path.
Result<std::string> read_named_file(const std::string& path, std::size_t limit = kFileSizeLimit,
                                    std::string_view flag = {});

/// Why the file is no input ("not a regular file"); empty if it may be read, or is missing. What is
/// in `.git` never is. What the user named is read as it is. What was found must be a file below
/// `root` (real), where no link leads out of: a walk found it, or a file that was found itself
/// names it, and both come from whom the manifests come from.
std::string problem_with_input(const std::string& file,
                               const std::optional<std::string>& root = std::nullopt);

/// The same, for a file whose resolved_path() is `real`.
std::string problem_with_real(const std::string& file, const std::string& real,
                              const std::optional<std::string>& root = std::nullopt);

/// The content of an input, unless there is a problem with it.
Result<std::string> read_input(const std::string& path, const std::optional<std::string>& root,
                               std::size_t limit = kFileSizeLimit, std::string_view flag = {});

/// The content of a file that git itself reads, such as .gitignore or its index, which are no
/// inputs. As git does, this follows no link; reading a pipe or /dev/stdin would block.
Result<std::string> read_regular_file(const std::string& path, std::size_t limit);

/// The problem with a link that was found.
inline constexpr const char* kLinkOut =
    "a link out of the repository, not followed: name the file itself to check it";

/// The error for a text of more than `limit` bytes.
Error too_large(std::size_t limit, std::string_view flag);

/// The error for a missing file, with a suggestion from its directory.
std::string no_such_file(const std::string& path);

}  // namespace cnsched
