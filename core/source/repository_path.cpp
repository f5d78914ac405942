#include "core/source/repository_path.h"

#include <filesystem>

#include "core/source/discover.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

/// `directory` as seen from the root of its repository, or from the working directory.
fs::path in_repository(const fs::path& directory) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(directory, error);
  if (error) return directory;
  const std::string root = repository_root(real.string());
  const fs::path base = root.empty() ? fs::weakly_canonical(".", error) : fs::path(root);
  const fs::path relative = real.lexically_relative(base);
  if (relative.empty() || *relative.begin() == "..") return real;
  return relative == "." ? fs::path() : relative;
}

}  // namespace

std::string RepositoryPaths::of(const std::string& path) {
  std::error_code error;
  fs::path file = path;
  if (!fs::exists(file, error)) return path;
  if (fs::is_symlink(file, error)) file = fs::weakly_canonical(file, error);
  const fs::path parent = file.parent_path();
  const fs::path directory = parent.empty() ? fs::path(".") : parent;
  auto [known, is_new] = of_directory_.try_emplace(directory.string());
  if (is_new) known->second = (in_repository(directory) / "").string();
  return known->second + file.filename().string();
}

}  // namespace cnsched
