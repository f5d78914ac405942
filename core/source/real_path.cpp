#include "core/source/real_path.h"

#include <filesystem>

namespace cnsched {

namespace fs = std::filesystem;

std::string real_path(const std::string& file) {
  std::error_code error;
  const fs::path path = file;
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const fs::path real = fs::weakly_canonical(directory, error);
  return ((error ? fs::absolute(directory, error) : real) / path.filename()).string();
}

std::string path_below(const std::string& directory, const std::string& real) {
  const std::string start = directory.ends_with('/') ? directory : directory + '/';
  return real.starts_with(start) ? real.substr(start.size()) : std::string();
}

}  // namespace cnsched
