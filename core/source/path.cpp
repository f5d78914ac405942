#include "core/source/path.h"

#include <sys/stat.h>

#include <filesystem>

namespace cnsched {

namespace fs = std::filesystem;

// Called for every file of the workspace; fs::path takes ten times as long.
std::string directory_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  if (slash == std::string::npos) return ".";
  const std::size_t last = file.find_last_not_of('/', slash);
  return last == std::string::npos ? "/" : file.substr(0, last + 1);
}

std::string_view file_name_of(std::string_view file) { return file.substr(file.rfind('/') + 1); }

std::string joined(const std::string& directory, std::string_view name) {
  if (directory == ".") return std::string(name);
  const bool separates = !directory.empty() && !directory.ends_with('/');
  return directory + (separates ? "/" : "") + std::string(name);
}

std::string real_path(const std::string& file) {
  std::error_code error;
  const std::string directory = directory_of(file);
  const fs::path real = fs::weakly_canonical(directory, error);
  return ((error ? fs::absolute(directory, error) : real) / fs::path(file).filename()).string();
}

std::string resolved_path(const std::string& file) {
  std::error_code error;
  // Of a relative path that is missing from its first name on, it would return the path.
  return fs::weakly_canonical(fs::absolute(file, error), error).string();
}

std::string file_identity(const std::string& file) {
  struct stat status {};
  if (file == "-" || ::stat(file.c_str(), &status) != 0) return file;
  return std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino);
}

std::string path_below(const std::string& directory, const std::string& real) {
  const std::string start = directory.ends_with('/') ? directory : directory + '/';
  return real.starts_with(start) ? real.substr(start.size()) : std::string();
}

bool is_at_or_below(const std::string& directory, const std::string& path) {
  return path == directory || !path_below(directory, path).empty();
}

std::string repository_root(const std::string& directory) {
  std::error_code error;
  fs::path candidate = fs::weakly_canonical(directory, error);
  while (!candidate.empty()) {
    if (fs::exists(candidate / ".git", error)) return candidate.string();
    const fs::path parent = candidate.parent_path();
    if (parent == candidate) break;
    candidate = parent;
  }
  return {};
}

std::string outermost_repository(const std::string& directory) {
  std::error_code error;
  std::string outermost;
  for (fs::path at = directory;; at = at.parent_path()) {
    if (fs::exists(at / ".git", error)) outermost = at.string();
    if (at == at.parent_path()) return outermost;
  }
}

std::string source_root(const std::string& directory) {
  std::string repository = repository_root(directory);
  if (!repository.empty()) return repository;
  std::string here = resolved_path(".");
  return here != "/" && !path_below(here, directory).empty() ? here : directory;
}

bool links_out(const std::string& file, const std::string& root) {
  const fs::path named = (fs::path(resolved_path(".")) / file).lexically_normal();
  return !path_below(root, named.string()).empty() && !is_at_or_below(root, resolved_path(file));
}

std::string parent_in_repository(const std::string& directory) {
  std::error_code error;
  if (fs::exists(fs::path(directory) / ".git", error)) return {};
  const std::string parent = directory_of(directory);
  return parent == directory ? std::string() : parent;
}

namespace {

/// `directory` relative to the root of its repository, or to the working directory.
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
