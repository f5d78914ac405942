#include "core/source/real_path.h"

#include <filesystem>

namespace cnsched {

namespace fs = std::filesystem;

// These three are asked of every file of a run; fs::path takes ten times as long.
std::string directory_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  if (slash == std::string::npos) return ".";
  const std::size_t last = file.find_last_not_of('/', slash);
  return last == std::string::npos ? "/" : file.substr(0, last + 1);
}

std::string_view file_name_of(std::string_view file) { return file.substr(file.rfind('/') + 1); }

std::string joined(const std::string& directory, std::string_view name) {
  const bool separates = !directory.empty() && !directory.ends_with('/');
  return directory + (separates ? "/" : "") + std::string(name);
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
