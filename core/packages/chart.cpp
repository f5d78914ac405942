#include "core/packages/chart.h"

#include <filesystem>

#include "core/source/path.h"

namespace cnsched {

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

}  // namespace cnsched
