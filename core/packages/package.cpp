#include "core/packages/package.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/packages/dependencies.h"
#include "core/packages/kustomization.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/source/source_file.h"
#include "core/yaml/parse.h"

namespace cnsched::packages {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kChartFile = "Chart.yaml";
constexpr std::string_view kSubcharts = "charts";

bool is_archive(std::string_view path) { return path.ends_with(".tgz"); }

/// Charts among the files, by their real directories.
class Charts {
 public:
  void find(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      if (file_name_of(file) == kChartFile) add(directory_of(file), file);
    }
  }

  /// The directory of the chart that the file belongs to: a chart in `charts/` of another one is
  /// part of it. Empty if there is none.
  std::string chart_of(const std::string& real) const {
    std::string directory = directory_of(real);
    while (!names_.contains(directory)) {
      const std::string parent = directory_of(directory);
      if (parent == directory) return {};
      directory = parent;
    }
    for (;;) {
      const std::string subcharts = directory_of(directory);
      const std::string owner = directory_of(subcharts);
      if (file_name_of(subcharts) != kSubcharts || !names_.contains(owner)) return directory;
      directory = owner;
    }
  }

  bool is_library(const std::string& directory) const { return libraries_.contains(directory); }
  const std::map<std::string, std::string>& names() const { return names_; }

 private:
  void add(const std::string& directory, const std::string& file) {
    const std::string real = real_path(file);
    names_.emplace(directory_of(real), directory);
    const Result<std::string> bytes = read_file(file, kFileSizeLimit);
    if (!bytes) return;
    const yaml::Embedded chart(*bytes);
    if (chart.root()["type"].text() == "library") libraries_.insert(directory_of(real));
  }

  std::map<std::string, std::string> names_;  ///< the directory as found, by its real path
  std::set<std::string> libraries_;
};

/// A kustomization on the disk.
struct Overlay {
  std::string name;                     ///< the directory as found
  std::set<std::string> directories{};  ///< real paths of what it uses
  std::set<std::string> files{};
  std::set<std::string> file_names{};  ///< the same, as the user would name them
  std::set<std::string> charts{};      ///< their directories, as the user would name them
  bool is_component = false;
  std::optional<Unreadable> problem{};
};

/// Kustomizations among the files and those that they use.
class Overlays {
 public:
  void find(const std::vector<std::string>& files) {
    std::set<std::string> looked_at;
    for (const std::string& file : files) {
      if (file == "-") continue;
      const std::string directory = directory_of(file);
      if (looked_at.insert(directory).second && add(directory))
        found_.insert(resolved_path(directory));
    }
  }

  /// Those that no other one uses and that are no component, by their real directories; of a cycle
  /// that nothing else uses, one. kustomize says what is wrong with it.
  std::vector<std::string> roots() const {
    std::set<std::string> used;
    for (const auto& [directory, overlay] : overlays_) {
      used.insert(overlay.directories.begin(), overlay.directories.end());
    }
    std::vector<std::string> roots;
    std::set<std::string> reached;
    const auto take = [&](const std::string& root) {
      roots.push_back(root);
      each_in(root, [&](const std::string& each, const Overlay&) { reached.insert(each); });
    };
    for (const std::string& directory : found_) {
      if (!used.contains(directory) && !at(directory).is_component) take(directory);
    }
    for (const std::string& directory : found_) {
      if (!reached.contains(directory) && !at(directory).is_component) take(directory);
    }
    return roots;
  }

  const Overlay& at(const std::string& directory) const { return overlays_.at(directory); }

  /// Calls `visit` with each kustomization that the build of `root` reads, each once.
  template <typename Visit>
  void each_in(const std::string& root, Visit visit) const {
    std::set<std::string> reached = {root};
    std::vector<std::string> waiting = {root};
    while (!waiting.empty()) {
      const std::string next = std::move(waiting.back());
      waiting.pop_back();
      const Overlay& overlay = overlays_.at(next);
      visit(next, overlay);
      for (const std::string& directory : overlay.directories) {
        if (overlays_.contains(directory) && reached.insert(directory).second) {
          waiting.push_back(directory);
        }
      }
    }
  }

 private:
  /// Reads the kustomization of the directory and those that it uses. Returns whether it has one.
  bool add(const std::string& directory) {
    std::vector<std::string> waiting = {directory};
    while (!waiting.empty()) {
      const std::string next = std::move(waiting.back());
      waiting.pop_back();
      const std::string real = resolved_path(next);
      const auto [known, is_new] = overlays_.try_emplace(real, Overlay{.name = next});
      if (is_new && !read(next, real, known->second, waiting)) overlays_.erase(known);
    }
    return overlays_.contains(resolved_path(directory));
  }

  bool read(const std::string& directory, const std::string& real, Overlay& overlay,
            std::vector<std::string>& waiting) {
    for (const std::string_view name : kKustomizationNames) {
      const std::string path = joined(directory, name);
      std::error_code error;
      if (!fs::is_regular_file(path, error)) continue;
      const Result<std::string> bytes = read_file(path, kFileSizeLimit);
      if (!bytes) continue;
      const SourceFile file(0, path, *bytes);
      overlay.files.insert(resolved_path(path));
      overlay.file_names.insert(path);
      take(read_kustomization(file), file, directory, real, overlay, waiting);
      return true;
    }
    return false;
  }

  static void take(const Kustomization& read, const SourceFile& file, const std::string& directory,
                   const std::string& real, Overlay& overlay, std::vector<std::string>& waiting) {
    overlay.is_component = read.is_component;
    const auto reject = [&](const KustomizeEntry& entry, std::string reason) {
      if (overlay.problem) return;
      overlay.problem = {file.path(), std::move(reason), file.line_of(entry.where.begin)};
    };
    const std::string root = source_root(real);
    for (const KustomizeEntry& chart : read.charts) {
      const std::string path = (fs::path(directory) / chart.name).lexically_normal().string();
      std::error_code error;
      if (fs::is_directory(path, error) && is_at_or_below(root, resolved_path(path))) {
        overlay.charts.insert(path);
      } else {
        reject(chart, fmt::format("kustomize would fetch the chart '{}' of '{}', which is not in "
                                  "'{}': not rendered",
                                  file_name_of(chart.name), chart.field, printable(path)));
      }
    }
    for (const auto* entries : {&read.resources, &read.patches, &read.others}) {
      for (const KustomizeEntry& entry : *entries) {
        const std::string path = (fs::path(directory) / entry.name).lexically_normal().string();
        std::error_code error;
        if (entry.name.find("://") != std::string::npos || !fs::exists(path, error)) {
          // Of a name that is no file kustomize asks a remote repository.
          reject(entry,
                 fmt::format("'{}' of '{}' is no file or directory here, and remote resources "
                             "are not fetched: not rendered",
                             entry.name, entry.field));
          continue;
        }
        const std::string target = resolved_path(path);
        if (!is_at_or_below(root, target)) {
          reject(entry, fmt::format("'{}' of '{}' is outside of the repository: not rendered",
                                    entry.name, entry.field));
        } else if (fs::is_directory(target, error)) {
          overlay.directories.insert(target);
          waiting.push_back(path);
        } else {
          overlay.files.insert(target);
          overlay.file_names.insert(path);
        }
      }
    }
  }

  std::map<std::string, Overlay> overlays_;  ///< by their real directories
  std::set<std::string> found_;              ///< real directories, of those among the files
};

/// Files that overlays are built of.
struct HeldFiles {
  std::set<std::string> of_overlays{};
  std::set<std::string> of_charts{};  ///< those of the charts that overlays use
};

/// Adds the packages of the overlays.
HeldFiles add_overlays(const Overlays& overlays, const std::vector<std::string>& files,
                       PackageSearch& result) {
  HeldFiles held;
  const std::vector<std::string> roots = overlays.roots();
  if (roots.empty()) return held;
  std::map<std::string, std::vector<std::string>> names;  // of the files, by their real paths
  for (const std::string& file : files) names[resolved_path(file)].push_back(file);
  for (const std::string& root : roots) {
    Package package{.kind = Package::Kind::overlay, .path = overlays.at(root).name};
    std::optional<Unreadable> problem;
    std::set<std::string> read;
    std::set<std::string> charts;
    overlays.each_in(root, [&](const std::string& /*directory*/, const Overlay& overlay) {
      read.insert(overlay.file_names.begin(), overlay.file_names.end());
      charts.insert(overlay.charts.begin(), overlay.charts.end());
      if (!problem) problem = overlay.problem;
      for (const std::string& file : overlay.files) {
        const auto found = names.find(file);
        if (found == names.end()) continue;
        package.found.insert(package.found.end(), found->second.begin(), found->second.end());
      }
    });
    if (problem) {
      result.rejected.push_back({*std::move(problem), package.path});
      continue;
    }
    held.of_overlays.insert(package.found.begin(), package.found.end());
    for (const std::string& chart : charts) {
      const std::string below = resolved_path(chart) + "/";
      auto found = names.lower_bound(below);
      for (; found != names.end() && found->first.starts_with(below); ++found) {
        held.of_charts.insert(found->second.begin(), found->second.end());
        package.found.insert(package.found.end(), found->second.begin(), found->second.end());
      }
    }
    package.files.assign(read.begin(), read.end());
    package.charts.assign(charts.begin(), charts.end());
    result.packages.push_back(std::move(package));
  }
  return held;
}

/// Files of a chart that findings may be in. The others are printed by `.Files` only.
bool is_chart_source(const std::string& path) {
  const std::string_view name = file_name_of(path);
  const std::string directory = "/" + directory_of(path) + "/";
  return name == "values.yaml" || name == kChartFile ||
         directory.find("/templates/") != std::string::npos ||
         directory.find("/crds/") != std::string::npos;
}

std::vector<std::string> chart_files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator it(directory, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    std::error_code failed;
    const std::string path = it->path().lexically_relative(directory).string();
    if (is_chart_source("/" + path) && it->is_regular_file(failed)) {
      files.push_back(joined(directory, path));
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<PackageSource> sources_of(const Package& package) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
  const bool is_chart = package.kind == Package::Kind::chart;
  std::error_code error;
  if (is_chart && !fs::is_directory(package.path, error)) return {};
  std::vector<PackageSource> sources;
  std::size_t bytes = 0;
  for (const std::string& path : is_chart ? chart_files(package.path) : package.files) {
    Result<std::string> text = read_file(path, kFileSizeLimit);
    if (!text) continue;
    bytes += text->size();
    if (bytes > kMaxBytes) break;
    sources.push_back({path, *std::move(text)});
  }
  return sources;
}

PackageSearch find_packages(const std::vector<std::string>& files, RenderKinds kinds) {
  PackageSearch result;
  Charts charts;
  if (kinds.charts) charts.find(files);
  Overlays overlays;
  if (kinds.overlays) overlays.find(files);
  const HeldFiles held = add_overlays(overlays, files, result);

  std::map<std::string, std::vector<std::string>> outermost;  // charts, and the files below them
  for (const std::string& file : files) {
    if (kinds.charts && is_archive(file)) {
      result.packages.push_back({.kind = Package::Kind::chart, .path = file, .found = {file}});
      continue;
    }
    if (held.of_charts.contains(file)) continue;
    const std::string chart = file == "-" ? "" : charts.chart_of(real_path(file));
    if (chart.empty()) {
      if (!held.of_overlays.contains(file)) result.files.push_back(file);
    } else if (!charts.is_library(chart)) {
      outermost[chart].push_back(file);
    }
  }
  for (auto& [directory, found] : outermost) {
    const std::string& name = charts.names().at(directory);
    if (auto problem = missing_dependency(name)) {
      result.rejected.push_back({*std::move(problem), name});
      result.files.insert(result.files.end(), found.begin(), found.end());
    } else {
      result.packages.push_back(
          {.kind = Package::Kind::chart, .path = name, .found = std::move(found)});
    }
  }
  std::ranges::sort(result.files);
  std::ranges::sort(result.packages, {}, &Package::path);
  return result;
}

}  // namespace cnsched::packages
