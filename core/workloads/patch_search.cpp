// Paths are compared as text, and links on the way from a kustomization to its patch not followed:
// kustomize itself refuses by default what one leads to outside the kustomization's directory.
#include "core/workloads/patch_search.h"

#include <algorithm>
#include <array>
#include <climits>
#include <filesystem>
#include <utility>

#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

constexpr auto kNames =
    std::to_array<std::string_view>({"kustomization.yaml", "kustomization.yml", "Kustomization"});

/// The patches that the root of a kustomization lists, as it names them; each once, for an alias
/// may repeat a long one a million times.
std::set<std::string_view> patches_listed_in(const yaml::Node& root) {
  const std::string_view kind = root["kind"].text();
  if (!kind.empty() && kind != "Kustomization" && kind != "Component") return {};
  std::set<std::string_view> names;
  // The first versions had `patches: [FILE]`, and kustomize still reads it.
  for (const std::string_view key : {"patches", "patchesStrategicMerge"}) {
    for (const yaml::Node* item : root[key].items()) {
      const std::string_view name = item->is_scalar() ? item->text() : (*item)["path"].text();
      // What is longer is a manifest, not a name.
      if (!name.empty() && name.size() < PATH_MAX) names.insert(name);
    }
  }
  return names;
}

}  // namespace

bool is_kustomization(const std::string& path) {
  return std::ranges::find(kNames, file_name_of(path)) != kNames.end();
}

const std::map<std::string, std::vector<std::string>>& PatchSearch::files() {
  for (const std::string& file : std::exchange(named_, {})) files_[real(file)].push_back(file);
  return files_;
}

void PatchSearch::read(const SourceFile& kustomization) {
  if (!read_.insert(real(kustomization.path())).second) return;
  add_listed_in(kustomization, real_directory_of(kustomization.path()));
}

void PatchSearch::look_around(const std::string& file) {
  std::string directory = real_directory_of(file);
  while (!directory.empty() && looked_at_.insert(directory).second) {
    for (const std::string_view name : kNames) {
      read_from_disk(joined(directory, name));
    }
    directory = above_in_repository(directory);
  }
}

std::string PatchSearch::real_directory_of(const std::string& file) {
  const auto [known, is_new] = real_directories_.try_emplace(directory_of(file));
  if (is_new) known->second = directory_of(real_path(file));
  return known->second;
}

std::string PatchSearch::real(const std::string& file) {
  return joined(real_directory_of(file), file_name_of(file));
}

void PatchSearch::read_from_disk(const std::string& path) {
  std::error_code error;
  // Reading a pipe of that name would block forever.
  if (!fs::is_regular_file(path, error) || !read_.insert(path).second) return;
  Result<std::string> bytes = read_file(path, kFileSizeLimit);
  if (bytes) add_listed_in(SourceFile(0, path, *std::move(bytes)), directory_of(path));
}

void PatchSearch::add_listed_in(const SourceFile& kustomization, const std::string& directory) {
  // Cheaper than a parse, and most list none.
  if (kustomization.bytes().find("patches") == std::string_view::npos) return;
  for (const Span where : yaml::split(kustomization)) {
    const yaml::Document document = yaml::parse(kustomization, where);
    for (const std::string_view name : patches_listed_in(*document.root)) {
      const auto patch = files().find((fs::path(directory) / name).lexically_normal().string());
      if (patch != files().end()) found_.insert(patch->second.begin(), patch->second.end());
    }
  }
}

}  // namespace cnsched
