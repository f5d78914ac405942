#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace cnsched::fuzz {

/// A temporary directory, removed when the process ends normally. Configurations above it have no
/// effect.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory() { std::filesystem::remove_all(root_); }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::string root() const { return root_.string(); }
  std::string path(std::string_view name) const { return (root_ / name).string(); }
  /// Removes what was written.
  void clear() const;
  /// Ignores names with directories: an input must not write anywhere else.
  void write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path root_;
  mutable std::set<std::filesystem::path> written_;
};

}  // namespace cnsched::fuzz
