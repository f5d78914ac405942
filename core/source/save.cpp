#include "core/source/save.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "core/base/descriptor.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kPermissions = 0777;

/// The system's message for the last failure.
std::string reason() { return lower(std::strerror(errno)); }

/// The name of the temporary file.
std::string unpredictable_name() {
  std::random_device random;
  return fmt::format(".cnsched-{:08x}{:08x}.tmp", random(), random());
}

/// A new file in a directory, removed by the destructor unless it is renamed.
class TemporaryFile {
 public:
  TemporaryFile(const Descriptor& directory, mode_t mode)
      : directory_(directory),
        name_(unpredictable_name()),
        file_(::openat(directory.get(), name_.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_ && !renamed_) ::unlinkat(directory_.get(), name_.c_str(), 0);
  }

  explicit operator bool() const { return static_cast<bool>(file_); }

  /// Writes `bytes` and syncs them to the disk.
  bool write(std::string_view bytes) { return file_.write(bytes) && ::fsync(file_.get()) == 0; }

  /// Copies the permissions of another file, and its owner or at least its group if permitted.
  bool copy_permissions(const struct stat& other) {
    const bool owner_set = ::fchown(file_.get(), other.st_uid, other.st_gid) == 0 ||
                           ::fchown(file_.get(), static_cast<uid_t>(-1), other.st_gid) == 0;
    // This process's group must not get the permissions of the file's group.
    const mode_t withheld = owner_set ? 0 : S_IRWXG;
    return ::fchmod(file_.get(), other.st_mode & kPermissions & ~withheld) == 0;
  }

  /// Replaces the file of that name.
  bool replace(const std::string& name) {
    renamed_ = ::renameat(directory_.get(), name_.c_str(), directory_.get(), name.c_str()) == 0;
    return renamed_;
  }

  /// Gives the file a new name; if that name exists, errno is EEXIST.
  bool create(const std::string& name) {
    if (::linkat(directory_.get(), name_.c_str(), directory_.get(), name.c_str(), 0) == 0) {
      return true;
    }
    if (errno == EEXIST) return false;
    // File systems such as FAT have no hard links.
    renamed_ = ::renameat2(directory_.get(), name_.c_str(), directory_.get(), name.c_str(),
                           RENAME_NOREPLACE) == 0;
    return renamed_;
  }

 private:
  const Descriptor& directory_;
  std::string name_;
  Descriptor file_;
  bool renamed_ = false;
};

/// Why this is not a regular file, and what to do; empty if it is one.
std::string_view irregular_file_problem(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link: name its target";
  if (S_ISDIR(mode)) return "a directory: name a file in it";
  return S_ISREG(mode) ? "" : "not a regular file: name another";
}

/// Whether `bytes` is the whole content of the file; reads no more than necessary.
bool has_content(const Descriptor& file, std::string_view bytes) {
  std::array<char, std::size_t{64} * 1024> chunk{};
  while (true) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 && bytes.empty();
    const std::string_view read(chunk.data(), static_cast<std::size_t>(got));
    if (!bytes.starts_with(read)) return false;
    bytes.remove_prefix(read.size());
  }
}

class Saving {
 public:
  Saving(const std::string& path, std::string_view bytes, SaveOptions options)
      : path_(path), bytes_(bytes), options_(options) {}

  Result<Saved> run() {
    const fs::path path(path_);
    name_ = path.filename().string();
    if (name_.empty()) return Error{fmt::format("'{}' names no file", shown())};
    const Result<Descriptor> directory = open_directory();
    return directory ? save_in(*directory) : directory.error();
  }

 private:
  /// Opens one directory after the other, so that no link in the tree is followed. What is above
  /// the tree is the user's. A way up ("..") is as the path reads, which is the same without links.
  Result<Descriptor> open_directory() const {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    fs::path above = (here / directory_of(path_)).lexically_normal();
    if (!above.has_filename()) above = above.parent_path();
    const bool is_below_here = is_at_or_below(here.string(), above.string());
    std::string at = is_below_here ? "." : outermost_repository(above.string());
    if (at.empty()) at = above.string();
    Descriptor directory(::open(at.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (const fs::path& name : above.lexically_relative(is_below_here ? here : fs::path(at))) {
      if (!directory) break;
      if (name == ".") continue;
      at = joined(at, name.string());
      Descriptor next(
          ::openat(directory.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      const int reason = errno;
      struct stat status {};
      if (!next && ::fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISLNK(status.st_mode)) {
        return Error{fmt::format("'{}' cannot be written: '{}' is {}", shown(), printable(at),
                                 irregular_file_problem(status.st_mode))};
      }
      errno = reason;
      directory = std::move(next);
    }
    if (directory) {
      directory = Descriptor(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    if (!directory) return cannot_open(directory_of(path_));
    return directory;
  }

  Result<Saved> save_in(const Descriptor& directory) const {
    struct stat existing {};
    if (::fstatat(directory.get(), name_.c_str(), &existing, AT_SYMLINK_NOFOLLOW) != 0) {
      return errno == ENOENT && !options_.expected_content ? write(directory, nullptr)
                                                           : cannot_write();
    }
    const std::string_view problem = irregular_file_problem(existing.st_mode);
    if (!problem.empty()) return Error{fmt::format("'{}' is {}", shown(), problem)};
    // A file that replaces this one after the check is not detected.
    const Descriptor file(
        ::openat(directory.get(), name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file && has_content(file, bytes_)) return Saved::unchanged;
    if (!options_.overwrite) return differs();
    if (options_.expected_content && !(file && ::lseek(file.get(), 0, SEEK_SET) == 0 &&
                                       has_content(file, *options_.expected_content))) {
      return Error{fmt::format(
          "'{}' has changed since it was read, and was not written: run the command again",
          shown())};
    }
    if (::faccessat(directory.get(), name_.c_str(), W_OK, AT_EACCESS) != 0) return cannot_write();
    return write(directory, &existing);
  }

  /// Writes the file and replaces `existing`, if any.
  Result<Saved> write(const Descriptor& directory, const struct stat* existing) const {
    // Private until it has the permissions of the file that it replaces.
    TemporaryFile file(directory, existing != nullptr ? 0600 : 0666);
    if (!file || (existing != nullptr && !file.copy_permissions(*existing)) ||
        !file.write(bytes_)) {
      return cannot_write();
    }
    const bool is_saved = options_.overwrite ? file.replace(name_) : file.create(name_);
    if (!is_saved) return errno == EEXIST ? differs() : cannot_write();
    // Some file systems cannot sync a directory and do not need it.
    if (::fsync(directory.get()) != 0 && errno != EINVAL) return cannot_write();
    return existing != nullptr ? Saved::replaced : Saved::created;
  }

  std::string shown() const { return printable(path_); }
  Error differs() const { return {fmt::format("'{}' exists and differs", shown())}; }
  Error cannot_write() const {
    return {fmt::format("'{}' cannot be written: {}", shown(), reason())};
  }
  Error cannot_open(const std::string& above) const {
    const bool is_missing = errno == ENOENT;
    return {fmt::format(
        "'{}' cannot be written: the directory '{}' {}", shown(), printable(above),
        is_missing ? "does not exist: create it first" : "cannot be opened: " + reason())};
  }

  const std::string& path_;
  std::string_view bytes_;
  SaveOptions options_;
  std::string name_;
};

}  // namespace

Result<Saved> save(const std::string& path, std::string_view bytes, SaveOptions options) {
  // A signal would leave the temporary file in the directory.
  const BlockedSignals blocked;
  return Saving(path, bytes, options).run();
}

bool write_new(const std::string& path, std::string_view bytes, std::size_t size) {
  constexpr mode_t kMode = 0600;
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
  if (!file || (size != bytes.size() && ::ftruncate(file.get(), static_cast<off_t>(size)) != 0)) {
    return false;
  }
  return file.write(bytes);
}

}  // namespace cnsched
