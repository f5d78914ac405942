#include "core/source/repository_path.h"

#include <filesystem>

#include "core/source/discover.h"
#include "core/source/real_path.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

/// `directory` as seen from the root of its repository, or from the working directory.
std::string in_repository(const std::string& directory) {
  std::error_code error;
  const std::string real = fs::weakly_canonical(directory, error).string();
  if (error) return directory;
  const std::string root = repository_root(real);
  const std::string base = root.empty() ? fs::weakly_canonical(".", error).string() : root;
  if (real == base) return {};
  const std::string below = path_below(base, real);
  return below.empty() ? real : below;
}

}  // namespace

std::string RepositoryPaths::of(const std::string& path) {
  std::error_code error;
  fs::path file = path;
  if (!fs::exists(file, error)) return path;
  if (fs::is_symlink(file, error)) file = fs::weakly_canonical(file, error);
  const std::string directory = directory_of(file.string());
  auto [known, is_new] = of_directory_.try_emplace(directory);
  if (is_new) known->second = (fs::path(in_repository(directory)) / "").string();
  return known->second + file.filename().string();
}

}  // namespace cnsched
