#include "core/packages/chart.h"

#include <algorithm>

#include <filesystem>

#include "core/source/path.h"

namespace cnsched::packages {

namespace fs = std::filesystem;

std::string chart_of_template(const std::string& file) {
  constexpr std::string_view kTemplates = "templates";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  std::string directory = directory_of(real_path(file));
  while (true) {
    const std::string parent = directory_of(directory);
    if (parent == directory) return {};
    if (file_name_of(directory) == kTemplates &&
        fs::is_regular_file(joined(parent, "Chart.yaml"), error)) {
      return parent;
    }
    directory = parent;
  }
}

std::string name_of_chart(const std::string& chart, const std::string& file) {
  const std::string below = path_below(chart, real_path(file));
  if (file == below) return ".";
  const bool is_named = !below.empty() && file.ends_with("/" + below);
  return is_named ? file.substr(0, file.size() - below.size() - 1) : chart;
}

std::string named_template(const std::string& path, std::span<const PackageSource> sources,
                           std::string_view name) {
  name = name.substr(std::min(name.find('/'), name.size() - 1) + 1);
  const std::string exact = joined(path, name);
  if (std::ranges::find(sources, exact, &PackageSource::path) != sources.end()) return exact;
  // The name of a sub-chart may be an alias, which is not that of its directory.
  const std::size_t in_chart = ("/" + std::string(name)).rfind("/templates/");
  if (in_chart == std::string_view::npos || !name.starts_with("charts/")) return {};
  const std::string tail = "/" + std::string(name.substr(in_chart));
  const std::string charts = joined(path, "charts/");
  const PackageSource* found = nullptr;
  for (const PackageSource& source : sources) {
    if (!source.path.starts_with(charts) || !source.path.ends_with(tail)) continue;
    if (found != nullptr) return {};
    found = &source;
  }
  return found == nullptr ? std::string() : found->path;
}

}  // namespace cnsched::packages
