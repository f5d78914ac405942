#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/packages/origin.h"
#include "core/yaml/parse.h"

namespace cnsched {

/// A step in values: a key, or an item of a list.
struct ValueStep {
  std::string key{};
  std::size_t index = 0;
  bool is_item = false;
};

/// A value of a chart, as its templates name it: `.Values.models[1].name` in a sub-chart.
struct ValuePath {
  std::vector<std::string> charts{};  ///< the sub-chart, from the rendered chart; often empty
  std::vector<ValueStep> steps{};
};

/// Where a value is written.
struct FoundValue {
  const yaml::Node* node = nullptr;
  std::string path{};   ///< the values file
  bool is_set = false;  ///< a "K=V" of the command line sets it: there is no node
};

/// The values files of a chart and of its sub-charts, by which a value can be found where it is
/// written. Of several files that write it the last one that Helm reads counts.
class ChartValues {
 public:
  /// `directory` is the chart's; the values.yaml files are among the sources. `files` are those
  /// that the user names, `sets` their "K=V".
  ChartValues(std::string directory, std::span<const PackageSource> sources,
              std::span<const std::string> files, std::span<const std::string> sets);

  /// Where the value is written; nothing if it is in no file, or if only a part of it is.
  std::optional<FoundValue> find(const ValuePath& path) const;

  /// The items, or the sorted keys of all files, in the order of `range`.
  const std::vector<ValueStep>& steps_below(const ValuePath& path) const;
  /// Whether `if` takes the value; nothing if that is not known.
  std::optional<bool> is_true(const ValuePath& path) const;

  /// The directory of a sub-chart: that of its name, or what Chart.yaml gives that alias.
  std::string directory_of_chart(std::span<const std::string> charts) const;

 private:
  struct File {
    File(const std::string& path, std::string bytes) : text(0, path, std::move(bytes)) {}

    SourceFile text;
    yaml::Document document{};
  };

  const File* file(const std::string& path) const;
  std::vector<ValueStep> merged_steps(const ValuePath& path) const;
  /// The path with the sub-charts that its first steps name.
  ValuePath within_chart(ValuePath path) const;
  /// Where the value is written, first where it counts; of mappings also the others, which Helm
  /// merges.
  std::vector<FoundValue> all_at(const ValuePath& path) const;
  bool add_files_at(std::span<const std::string> charts, std::span<const ValueStep> steps,
                    std::vector<FoundValue>& found) const;
  bool is_set(std::span<const std::string> charts, std::span<const ValueStep> steps) const;

  std::string directory_;
  std::deque<File> read_;
  std::map<std::string, const File*> by_path_;
  std::vector<std::string> named_;              ///< paths of the user's files
  std::vector<std::vector<std::string>> sets_;  ///< the steps of each key
  /// What steps_below has found, by the path: each item of a loop asks for all of them.
  mutable std::map<std::string, std::vector<ValueStep>> steps_{};
};

}  // namespace cnsched
