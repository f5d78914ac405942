#include "core/packages/dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "core/base/text.h"
#include "core/source/path.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"

namespace cnsched::packages {

namespace fs = std::filesystem;

namespace {

/// The names of the charts in a directory, as far as they are known.
struct Vendored {
  std::set<std::string> names{};
  std::vector<std::string> archives{};  ///< "serving-0.1.0.tgz"

  /// Helm takes the name from within the archive: its file may have another name.
  bool may_have(const std::string& name, const std::vector<std::string>& wanted) const {
    const auto is_of = [](const std::string& archive, const std::string& chart) {
      return archive.starts_with(chart + "-");
    };
    if (names.contains(name)) return true;
    return std::ranges::any_of(archives, [&](const std::string& archive) {
      const bool is_of_other = std::ranges::any_of(
          wanted, [&](const std::string& other) { return other != name && is_of(archive, other); });
      return is_of(archive, name) || !is_of_other;
    });
  }
};

Vendored vendored_in(const std::string& charts) {
  Vendored found;
  std::error_code error;
  for (fs::directory_iterator it(charts, error), end; !error && it != end; it.increment(error)) {
    const std::string path = it->path().string();
    if (path.ends_with(".tgz")) found.archives.push_back(std::string(file_name_of(path)));
    const Result<std::string> bytes = read_file(joined(path, "Chart.yaml"), kFileSizeLimit);
    if (bytes) found.names.emplace(yaml::Embedded(*bytes).root()["name"].text());
  }
  return found;
}

/// The directory of the dependency of `chart`, if it is named with `file://` and is a chart.
std::string directory_of_local(const std::string& chart, const yaml::Node& dependency) {
  constexpr std::string_view kScheme = "file://";
  const std::string_view address = dependency["repository"].text();
  if (!address.starts_with(kScheme)) return {};
  const std::string path(address.substr(kScheme.size()));
  const std::string directory = (fs::path(chart) / path).lexically_normal().string();
  std::error_code error;
  return fs::is_regular_file(joined(directory, "Chart.yaml"), error) ? directory : std::string();
}

/// Whether the name is one directory.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

}  // namespace

std::vector<LocalDependency> local_dependencies(const std::string& chart) {
  const Result<std::string> bytes = read_file(joined(chart, "Chart.yaml"), kFileSizeLimit);
  if (!bytes) return {};
  const yaml::Embedded document(*bytes);
  std::vector<LocalDependency> found;
  for (const yaml::Node* each : document.root()["dependencies"].items()) {
    std::string directory = directory_of_local(chart, *each);
    const std::string_view name = (*each)["name"].text();
    if (!directory.empty() && is_plain_name(name)) {
      found.push_back({std::string(name), std::move(directory)});
    }
  }
  return found;
}

std::optional<Unreadable> missing_dependency(const std::string& chart) {
  const std::string path = joined(chart, "Chart.yaml");
  Result<std::string> bytes = read_file(path, kFileSizeLimit);
  if (!bytes) return std::nullopt;
  const SourceFile file(0, path, *std::move(bytes));
  const std::vector<Span> documents = yaml::split(file);
  if (documents.empty()) return std::nullopt;
  const yaml::Document document = yaml::parse(file, documents.front());
  const auto dependencies = (*document.root)["dependencies"].items();
  if (dependencies.empty()) return std::nullopt;
  std::vector<std::string> wanted;
  for (const yaml::Node* each : dependencies) wanted.emplace_back((*each)["name"].text());
  const Vendored vendored = vendored_in(joined(chart, "charts"));
  for (const yaml::Node* each : dependencies) {
    const yaml::Node& name = (*each)["name"];
    if (!name.is_string() || vendored.may_have(std::string(name.text()), wanted)) continue;
    if (!directory_of_local(chart, *each).empty() && is_plain_name(name.text())) continue;
    return Unreadable{path,
                      fmt::format("the dependency '{}' is not in charts/ (run 'helm dependency "
                                  "build {}'): the chart is not rendered",
                                  name.text(), chart),
                      file.line_of(name.span.begin)};
  }
  return std::nullopt;
}

}  // namespace cnsched::packages
