#include "core/source/trusted_program.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

bool is_executable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// Tells which directories of PATH do not come with what is checked.
class Trust {
 public:
  explicit Trust(std::span<const std::string> checked) {
    for (const std::string& file : checked) {
      const std::string directory = directory_of(real_path(file));
      const std::string repository = outermost_repository(directory);
      roots_.push_back(repository.empty() ? source_root(directory) : repository);
    }
  }

  /// Neither the path itself nor what it leads to may be in a repository: a link there would choose
  /// the program too.
  bool holds_for(const fs::path& path) const {
    const std::string real = resolved_path(path.string());
    return path.is_absolute() && !real.empty() && is_outside(path.lexically_normal().string()) &&
           is_outside(real);
  }

 private:
  bool is_outside(const std::string& path) const {
    return std::ranges::none_of(
        roots_, [&](const std::string& root) { return is_at_or_below(root, path); });
  }

  std::vector<std::string> roots_;
};

}  // namespace

std::string find_program(std::string_view name, std::string_view path,
                         std::span<const std::string> checked) {
  const Trust trust(checked);
  for (const std::string_view directory : split(path, ':')) {
    const fs::path candidate = fs::path(directory) / name;
    if (trust.holds_for(directory) && is_executable(candidate) && trust.holds_for(candidate)) {
      return candidate.string();
    }
  }
  return {};
}

std::string trusted_path(std::string_view path, std::span<const std::string> checked) {
  const Trust trust(checked);
  std::string trusted;
  for (const std::string_view directory : split(path, ':')) {
    if (!trust.holds_for(directory)) continue;
    if (!trusted.empty()) trusted += ':';
    trusted += directory;
  }
  return trusted;
}

}  // namespace cnsched
