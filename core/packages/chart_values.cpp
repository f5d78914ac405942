#include "core/packages/chart_values.h"

#include <algorithm>
#include <ranges>

#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/yaml/scalar.h"

namespace cnsched {

namespace {

std::string name_of(const ValueStep& step) {
  return step.is_item ? std::to_string(step.index) : step.key;
}

/// The steps of "a.b[0].c" in "a.b[0].c=1".
std::vector<std::string> steps_of_set(std::string_view set) {
  std::vector<std::string> steps(1);
  for (std::size_t i = 0; i < set.size() && set[i] != '='; ++i) {
    const char c = set[i];
    if (c == '\\' && i + 1 < set.size()) {
      steps.back() += set[++i];
    } else if (c == '.' || c == '[') {
      if (!steps.back().empty()) steps.emplace_back();
    } else if (c != ']') {
      steps.back() += c;
    }
  }
  return steps;
}

/// "a=1,b=2" sets two values.
std::vector<std::string_view> parts_of_set(std::string_view set) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i] == '\\')
      ++i;
    else if (set[i] == '{')
      ++depth;
    else if (set[i] == '}' && depth > 0)
      --depth;
    else if (set[i] == ',' && depth == 0) {
      parts.push_back(set.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(set.substr(begin));
  return parts;
}

/// The node at the steps; null if a value on the way is missing. `is_cut`: it is there, but no
/// mapping or list, so files that are read earlier do not count. `depth`: the steps to the last
/// value on the way that is there.
const yaml::Node* node_at(const yaml::Node& root, std::span<const std::string> charts,
                          std::span<const ValueStep> steps, bool& is_cut, std::size_t& depth) {
  const yaml::Node* node = &root;
  depth = 0;
  const auto down = [&](const yaml::Node& next) {
    // Null removes what other files have.
    is_cut = node->is_scalar() || node->is_sequence() || node->is_null();
    if (is_cut || next.is_missing()) return false;
    node = &next;
    ++depth;
    return true;
  };
  for (const std::string& chart : charts) {
    if (!down((*node)[chart])) return nullptr;
  }
  for (const ValueStep& step : steps) {
    if (step.is_item) {
      // Helm replaces lists as a whole.
      if (node->is_sequence() && step.index < node->items().size()) {
        node = node->items()[step.index];
        ++depth;
        continue;
      }
      is_cut = true;
      return nullptr;
    }
    if (!down((*node)[step.key])) return nullptr;
  }
  return node;
}

}  // namespace

ChartValues::ChartValues(std::string directory, std::span<const PackageSource> sources,
                         std::span<const std::string> files, std::span<const std::string> sets)
    : directory_(std::move(directory)), named_(files.begin(), files.end()) {
  const auto add = [&](const std::string& path, std::string bytes) {
    if (by_path_.contains(path)) return;
    File& file = read_.emplace_back(path, std::move(bytes));
    file.document = yaml::parse(file.text, file.text.whole());
    by_path_[path] = &file;
  };
  for (const PackageSource& source : sources) {
    const std::string_view name = file_name_of(source.path);
    if (name == "values.yaml" || name == "Chart.yaml") add(source.path, source.bytes);
  }
  for (const std::string& path : named_) {
    Result<std::string> bytes = read_file(path, kFileSizeLimit);
    if (bytes) add(path, *std::move(bytes));
  }
  for (const std::string& set : sets) {
    for (const std::string_view part : parts_of_set(set)) sets_.push_back(steps_of_set(part));
  }
}

const ChartValues::File* ChartValues::file(const std::string& path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : found->second;
}

bool ChartValues::is_set(std::span<const std::string> charts,
                         std::span<const ValueStep> steps) const {
  return std::ranges::any_of(sets_, [&](const std::vector<std::string>& set) {
    if (set.size() > charts.size() + steps.size()) return false;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const std::string name = i < charts.size() ? charts[i] : name_of(steps[i - charts.size()]);
      if (set[i] != name) return false;
    }
    return true;
  });
}

std::string ChartValues::directory_of_chart(std::span<const std::string> charts) const {
  std::string directory = directory_;
  for (const std::string& chart : charts) {
    std::string name = chart;
    if (const File* file = this->file(joined(directory, "Chart.yaml"))) {
      for (const yaml::Node* dependency : (*file->document.root)["dependencies"].items()) {
        if ((*dependency)["alias"].text() == chart) name = (*dependency)["name"].text();
      }
    }
    directory = joined(joined(directory, "charts"), name);
  }
  return directory;
}

ValuePath ChartValues::within_chart(ValuePath path) const {
  while (!path.steps.empty() && !path.steps.front().is_item) {
    std::vector<std::string> charts = path.charts;
    charts.push_back(path.steps.front().key);
    if (file(joined(directory_of_chart(charts), "values.yaml")) == nullptr) break;
    path.charts = std::move(charts);
    path.steps.erase(path.steps.begin());
  }
  return path;
}

std::vector<FoundValue> ChartValues::all_at(const ValuePath& written) const {
  const ValuePath path = within_chart(written);
  const std::span<const std::string> charts = path.charts;
  // Global values of a chart take precedence over those of its sub-charts.
  const bool is_global = !path.steps.empty() && path.steps.front().key == "global";
  std::vector<FoundValue> found;
  for (std::size_t size = is_global ? 0 : charts.size(); size <= charts.size(); ++size) {
    if (!add_files_at(charts.first(size), path.steps, found)) break;
  }
  return found;
}

/// Returns whether files that are read earlier count as well.
bool ChartValues::add_files_at(std::span<const std::string> charts,
                               std::span<const ValueStep> steps,
                               std::vector<FoundValue>& found) const {
  if (is_set(charts, steps)) {
    found.push_back({.is_set = true});
    return false;
  }
  bool is_cut = false;
  std::size_t cut_at = 0;
  std::size_t mapped = 0;  // how far files have mappings
  const auto look = [&](const std::string& name, std::span<const std::string> below) {
    const File* file = this->file(name);
    if (file == nullptr || is_cut) return;
    std::size_t depth = 0;
    const yaml::Node* node = node_at(*file->document.root, below, steps, is_cut, depth);
    if (node != nullptr) {
      found.push_back({.node = node, .path = name});
      is_cut = !node->is_mapping();
    }
    cut_at = depth;
    if (!is_cut) mapped = std::max(mapped, depth);
  };
  for (const std::string& name : named_ | std::views::reverse) look(name, charts);
  // A mapping of a file that is read later replaces what cuts, and then Helm merges the defaults.
  if (is_cut && cut_at <= mapped && (found.empty() || found.front().node->is_mapping()))
    is_cut = false;
  for (std::size_t depth = 0; depth <= charts.size(); ++depth) {
    look(joined(directory_of_chart(charts.first(depth)), "values.yaml"), charts.subspan(depth));
  }
  return !is_cut;
}

std::optional<FoundValue> ChartValues::find(const ValuePath& path) const {
  std::vector<FoundValue> found = all_at(path);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

const std::vector<ValueStep>& ChartValues::steps_below(const ValuePath& path) const {
  std::string key;
  for (const std::string& chart : path.charts) key += chart + '\0';
  for (const ValueStep& step : path.steps)
    key += (step.is_item ? '\1' : '\2') + name_of(step) + '\0';
  const auto found = steps_.find(key);
  if (found != steps_.end()) return found->second;
  return steps_[key] = merged_steps(path);
}

std::vector<ValueStep> ChartValues::merged_steps(const ValuePath& path) const {
  const std::vector<FoundValue> found = all_at(path);
  std::vector<ValueStep> steps;
  std::map<std::string, bool> keys;  // false: null removes it
  for (const FoundValue& each : found) {
    if (each.node == nullptr) continue;
    if (&each == &found.front()) {
      for (std::size_t i = 0; i < each.node->items().size(); ++i) {
        steps.push_back({.index = i, .is_item = true});
      }
    }
    for (const yaml::Entry& entry : each.node->entries()) {
      keys.emplace(yaml::key_text(*entry.key), !entry.value->is_null());
    }
  }
  for (const auto& [key, is_there] : keys) {
    if (is_there) steps.push_back({.key = key});
  }
  return steps;
}

std::optional<bool> ChartValues::is_true(const ValuePath& path) const {
  const std::optional<FoundValue> found = find(path);
  if (!found || found->node == nullptr) return std::nullopt;
  const yaml::Node& node = *found->node;
  if (node.is_null()) return false;
  if (node.is_sequence()) return !node.items().empty();
  if (node.is_mapping()) return node.is_empty() ? std::nullopt : std::optional<bool>(true);
  if (node.quoted || node.is_string()) return !node.text().empty();
  if (node.type == yaml::ScalarType::boolean) return yaml::boolean_of(node.text());
  return node.text().find_first_of("123456789") != std::string_view::npos;
}

}  // namespace cnsched
