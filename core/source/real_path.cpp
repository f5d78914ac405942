#include "core/source/real_path.h"

#include <filesystem>

namespace cnsched {

namespace fs = std::filesystem;

std::string directory_of(const std::string& file) {
  const std::string directory = fs::path(file).parent_path().string();
  return directory.empty() ? "." : directory;
}

std::string real_path(const std::string& file) {
  std::error_code error;
  const std::string directory = directory_of(file);
  const fs::path real = fs::weakly_canonical(directory, error);
  return ((error ? fs::absolute(directory, error) : real) / fs::path(file).filename()).string();
}

std::string path_below(const std::string& directory, const std::string& real) {
  const std::string start = directory.ends_with('/') ? directory : directory + '/';
  return real.starts_with(start) ? real.substr(start.size()) : std::string();
}

}  // namespace cnsched
