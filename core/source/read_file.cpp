#include "core/source/read_file.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

/// The names in the directory of `path`, sorted; none if there are very many.
std::vector<fs::path> names_in_directory_of(const fs::path& path) {
  constexpr std::size_t kMaxNames = 10'000;
  std::vector<fs::path> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory_of(path.string()), error), end;
       !error && entry != end; entry.increment(error)) {
    if (names.size() == kMaxNames) return {};
    names.push_back(entry->path().filename());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

Error too_large(std::size_t limit, std::string_view flag) {
  return Error{fmt::format("larger than the limit of {}: split it{}", text_of_size(limit),
                           flag.empty()
                               ? std::string(", or leave it out")
                               : fmt::format(", leave it out, or allow more with {}", flag))};
}

OpenFile::OpenFile(int descriptor) : descriptor_(descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::size_t>(status.st_size);
  }
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

OpenFile::~OpenFile() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

Result<OpenFile> OpenFile::open(const std::string& path) {
  if (path == "-") return OpenFile(STDIN_FILENO);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) return OpenFile(descriptor);
  return Error{errno == ENOENT ? no_such_file(path) : lower(std::strerror(errno))};
}

Result<std::string> OpenFile::read(std::size_t limit, std::string_view flag) const {
  constexpr std::size_t kUsual = std::size_t{16} * 1024;
  if (size_ > limit) return too_large(limit, flag);
  // One byte more than expected, to find the end with one read.
  std::string bytes(std::min(std::max(size_ ? *size_ + 1 : kUsual, std::size_t{2}), limit + 1),
                    '\0');
  std::size_t size = 0;
  while (size <= limit) {
    if (size == bytes.size()) bytes.resize(std::min(2 * size, limit + 1));
    const ssize_t got = ::read(descriptor_, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{lower(std::strerror(errno))};
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  if (size > limit) return too_large(limit, flag);
  return bytes;
}

Result<std::string> read_file(const std::string& path, std::size_t limit, std::string_view flag) {
  const Result<OpenFile> file = OpenFile::open(path);
  if (!file) return file.error();
  return file->read(limit, flag);
}

Result<std::string> read_named_file(const std::string& path, std::size_t limit,
                                    std::string_view flag) {
  Result<std::string> bytes = read_input(path, std::nullopt, limit, flag);
  if (bytes) return bytes;
  return Error{fmt::format("{}: {}", printable(path), bytes.error().message)};
}

std::string problem_with_input(const std::string& file, const std::optional<std::string>& root) {
  return problem_with_real(file, resolved_path(file), root);
}

std::string problem_with_real(const std::string& file, const std::string& real,
                              const std::optional<std::string>& root) {
  const auto is_in_git = [](std::string_view path) {
    return std::ranges::any_of(split(path, '/'),
                               [](std::string_view name) { return lower(name) == ".git"; });
  };
  // A working tree may lie in a directory of that name.
  if (is_in_git(real) &&
      is_in_git(path_below(root ? *root : source_root(directory_of(real)), real))) {
    return "in '.git', which is never read";
  }
  if (!root) return {};
  if (!is_at_or_below(*root, real)) {
    return links_out(file, *root)
               ? kLinkOut
               : "outside of the repository: only what you name yourself may be there";
  }
  std::error_code error;
  return fs::is_other(fs::status(real, error)) ? "not a regular file" : "";
}

Result<std::string> read_input(const std::string& path, const std::optional<std::string>& root,
                               std::size_t limit, std::string_view flag) {
  if (const std::string problem = problem_with_input(path, root); !problem.empty()) {
    return Error{"is " + problem};
  }
  return read_file(path, limit, flag);
}

Result<std::string> read_regular_file(const std::string& path, std::size_t limit) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error))) return Error{"not a regular file"};
  return read_file(path, limit);
}

std::string no_such_file(const std::string& named) {
  const fs::path path = named;

  std::error_code error;
  if (fs::is_symlink(path, error)) return "broken symbolic link";
  const std::vector<fs::path> names = names_in_directory_of(path);
  // Compares stems: a common extension does not make names similar.
  std::vector<std::string> stems;
  for (const fs::path& name : names) stems.push_back(name.stem().string());
  const auto near = nearest(path.stem().string(), {stems.begin(), stems.end()});
  if (!near) return "no such file or directory";
  const auto index = std::ranges::find(stems, *near) - stems.begin();
  const fs::path suggestion = path.parent_path() / names[static_cast<std::size_t>(index)];
  return fmt::format("no such file or directory, did you mean '{}'?",
                     printable(suggestion.string()));
}

std::string text_of_size(std::size_t bytes) {
  constexpr std::size_t kKibi = 1024;
  constexpr std::size_t kMebi = kKibi * kKibi;
  if (bytes != 0 && bytes % kMebi == 0) return fmt::format("{} MiB", bytes / kMebi);
  if (bytes != 0 && bytes % kKibi == 0) return fmt::format("{} KiB", bytes / kKibi);
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

}  // namespace cnsched
