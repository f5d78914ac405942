// The index is a header, its entries and extensions. An entry has fixed fields, the id of the
// object, flags and a path: padded in versions 2 and 3; in version 4 as what to remove from the end
// of the path before it, and what to append. Nothing says how long ids are (20 bytes, or 32 with
// SHA-256), so both are tried: the length of each path in its flags shows which is right.
// A split index, whose entries may lack their paths, is not read.
#include "core/source/git_index.h"

#include <algorithm>
#include <climits>
#include <filesystem>

#include "core/base/text.h"
#include "core/source/path.h"
#include "core/source/read_file.h"

namespace cnsched {

namespace {

/// Of an index, and of all paths in it: that of 500,000 files is about as large.
constexpr std::size_t kMaxSize = std::size_t{64} << 20U;

class IndexReader {
 public:
  IndexReader(std::string_view bytes, std::size_t id_size, bool (*is_wanted)(std::string_view))
      : bytes_(bytes), id_size_(id_size), is_wanted_(is_wanted) {}

  bool read() {
    if (take(4) != "DIRC") return false;
    version_ = number(4);
    if (version_ < 2 || version_ > 4) return false;
    for (std::size_t left = number(4); left > 0; --left) {
      if (!read_entry()) return false;
    }
    return true;
  }

  std::vector<std::string> paths;

 private:
  /// The next bytes; fewer at the end of the file.
  std::string_view take(std::size_t count) {
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += taken.size();
    return taken;
  }

  std::size_t number(std::size_t size) {
    std::size_t value = 0;
    for (const char c : take(size)) value = value << 8U | static_cast<unsigned char>(c);
    return value;
  }

  bool read_entry() {
    constexpr std::size_t kStatSize = 40, kAlignment = 8;
    constexpr std::size_t kLengthMask = 0xfff, kExtended = 0x4000;
    const std::size_t begin = at_;
    take(kStatSize + id_size_);
    const std::size_t flags = number(2);
    if ((flags & kExtended) != 0) take(2);
    if (version_ == 4 && !shorten_path()) return false;
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) return false;
    if (version_ != 4) path_.clear();
    path_ += take(end - at_);
    take(version_ == 4 ? 1 : kAlignment - (at_ - begin) % kAlignment);
    if (path_.empty() || path_.size() >= PATH_MAX ||
        std::min(path_.size(), kLengthMask) != (flags & kLengthMask))
      return false;
    if (!is_wanted_(file_name_of(path_))) return true;
    size_ += path_.size();
    paths.push_back(path_);
    return size_ <= kMaxSize;
  }

  /// Source: git varint.c, decode_varint.
  bool shorten_path() {
    std::size_t removed = 0;
    for (bool is_first = true;; is_first = false) {
      const std::string_view byte = take(1);
      if (byte.empty()) return false;
      const auto value = static_cast<unsigned char>(byte.front());
      removed = (is_first ? 0 : (removed + 1) << 7U) + (value & 0x7fU);
      if (removed > path_.size()) return false;
      if (value < 0x80U) break;
    }
    path_.resize(path_.size() - removed);
    return true;
  }

  std::string_view bytes_;
  std::size_t id_size_;
  bool (*is_wanted_)(std::string_view);
  std::size_t version_ = 0;
  std::size_t at_ = 0;
  std::size_t size_ = 0;  ///< of all paths
  std::string path_;      ///< of the last entry
};

/// Where git keeps what belongs to the working tree at `root`.
std::string git_directory(const std::string& root) {
  constexpr std::string_view kNames = "gitdir: ";
  std::string path = joined(root, ".git");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return path;
  const Result<std::string> text = read_regular_file(path, PATH_MAX);
  if (!text || !text->starts_with(kNames)) return {};
  return (std::filesystem::path(root) / trim(std::string_view(*text).substr(kNames.size())))
      .string();
}

}  // namespace

std::optional<std::vector<std::string>> paths_in_index(std::string_view bytes,
                                                       bool (*is_wanted)(std::string_view name)) {
  for (const std::size_t id_size : {20U, 32U}) {
    IndexReader reader(bytes, id_size, is_wanted);
    if (reader.read()) return std::move(reader.paths);
  }
  return std::nullopt;
}

std::vector<std::string> tracked_files(const std::string& root,
                                       bool (*is_wanted)(std::string_view name)) {
  const std::string directory = root.empty() ? "" : git_directory(root);
  if (directory.empty()) return {};
  const Result<std::string> bytes = read_regular_file(joined(directory, "index"), kMaxSize);
  if (!bytes) return {};
  std::vector<std::string> paths =
      paths_in_index(*bytes, is_wanted).value_or(std::vector<std::string>());
  std::ranges::sort(paths);
  return paths;
}

}  // namespace cnsched
