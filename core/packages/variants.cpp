#include "core/packages/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "core/base/pattern.h"
#include "core/source/path.h"

namespace cnsched::packages {

namespace fs = std::filesystem;

namespace {

/// Each is rendered and judged. More is no choice that a person made.
constexpr std::size_t kMaxVariants = 100;

/// "ci/gpu-values.yaml": "ci-gpu-values". A slash would be part of the path of what is rendered.
std::string name_of_values(const std::string& file) {
  std::string name = fs::path(file).replace_extension().generic_string();
  std::ranges::replace(name, '/', '-');
  return name;
}

/// The files below the chart's directory that match a pattern, relative to it, sorted. Links to
/// directories are not followed, and what is part of another chart belongs to that.
std::set<std::string> values_files_in(const std::string& chart,
                                      const std::vector<std::string>& patterns) {
  const std::vector<Glob> globs(patterns.begin(), patterns.end());
  std::set<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator it(chart, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    std::error_code unknown;
    if (it->is_directory(unknown)) {
      if (fs::exists(it->path() / "Chart.yaml", unknown)) it.disable_recursion_pending();
      continue;
    }
    const std::string name = it->path().lexically_relative(chart).generic_string();
    const bool matches =
        std::ranges::any_of(globs, [&](const Glob& glob) { return glob.matches(name); });
    if (matches && it->is_regular_file(unknown)) files.insert(name);
  }
  return files;
}

class Expansion {
 public:
  Expansion(const RenderSettings& settings, PackageSearch& search)
      : settings_(settings), search_(search) {}

  void run() {
    std::vector<Package> packages = std::move(search_.packages);
    search_.packages.clear();
    for (Package& package : packages) add(package);
    std::error_code error;
    for (const ChartVariants& chart : settings_.charts) {
      if (fs::exists(chart.path, error)) continue;
      search_.rejected.push_back(
          {{chart.path, "the configuration lists variants of this chart, but it does not exist"},
           chart.path});
    }
  }

 private:
  void add(const Package& package) {
    std::vector<Variant> variants;
    if (package.kind == Package::Kind::chart) variants = variants_of(package.path);
    if (variants.size() > kMaxVariants) {
      search_.rejected.push_back(
          {{package.path, fmt::format("has more than {} variants: not rendered", kMaxVariants)},
           package.path});
      return give_back(package);
    }
    bool is_left = variants.empty();
    if (variants.empty()) search_.packages.push_back(package);
    const std::string root =
        variants.empty() ? "" : source_root(resolved_path(directory_in_root(package.path)));
    for (Variant& variant : variants) {
      const auto outside = std::ranges::find_if(
          variant.values, [&](const std::string& file) { return links_out(file, root); });
      if (outside != variant.values.end()) {
        search_.rejected.push_back(
            {{*outside, fmt::format("the link leads out of the repository: variant '{}' of '{}' is "
                                    "not rendered",
                                    variant.name, package.path)},
             package.path});
      } else {
        search_.packages.push_back(package);
        search_.packages.back().variant = std::move(variant);
        is_left = true;
      }
    }
    if (!is_left) give_back(package);
  }

  /// Its sources are files like others.
  void give_back(const Package& package) {
    search_.files.insert(search_.files.end(), package.found.begin(), package.found.end());
    std::ranges::sort(search_.files);
  }

  /// Of an archive, the directory that it is in.
  static std::string directory_in_root(const std::string& path) {
    std::error_code error;
    return fs::is_directory(path, error) ? path : directory_of(path);
  }

  std::vector<Variant> variants_of(const std::string& chart) const {
    std::vector<Variant> variants;
    const std::string real = resolved_path(chart);
    for (const ChartVariants& listed : settings_.charts) {
      if (resolved_path(listed.path) != real) continue;
      std::ranges::copy(listed.variants, std::back_inserter(variants));
    }
    std::error_code error;
    if (settings_.values_files.empty() || !fs::is_directory(chart, error)) return variants;
    for (const std::string& file : values_files_in(chart, settings_.values_files)) {
      std::string name = name_of_values(file);
      while (std::ranges::find(variants, name, &Variant::name) != variants.end()) name += "-file";
      variants.push_back({.name = std::move(name), .values = {joined(chart, file)}});
    }
    return variants;
  }

  const RenderSettings& settings_;
  PackageSearch& search_;
};

}  // namespace

void add_variants(const RenderSettings& settings, PackageSearch& search) {
  Expansion(settings, search).run();
}

bool is_address(std::string_view values_file) {
  return values_file.find("://") != std::string_view::npos;
}

}  // namespace cnsched::packages
