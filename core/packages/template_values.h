#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/go_template.h"
#include "core/packages/chart_values.h"
#include "core/packages/origin.h"

namespace cnsched {

/// Keys that templates set with `set`, or remove.
struct ChangedKeys {
  std::set<std::string, std::less<>> names{};
  bool may_be_any = false;  ///< the name of one is computed
  std::size_t changes = 0;  ///< calls that do it

  bool contains(std::string_view name) const { return may_be_any || names.contains(name); }
};

/// What an expression of a template may print, as far as it is known without evaluation: a value
/// of a values file, or a literal of a template.
struct TemplateValue {
  enum class Kind : std::uint8_t {
    unknown,   ///< cannot be said
    computed,  ///< of Helm, or of a function: in no file
    context,   ///< the `.` of a template, with `.Values`
    value,
    key,  ///< of the value at `path`
    literal,
    list,
    dict,
  };
  Kind kind = Kind::unknown;
  ValuePath path{};          ///< of `value` and `key`; of `context` the chart
  std::string text{};        ///< of a literal
  SourcePlace place{};       ///< of a literal
  bool is_doubtful = false;  ///< another text that is not known may be printed in its place
  bool is_rendered = false;  ///< `tpl` renders it as a template
  std::vector<std::pair<std::string, std::vector<TemplateValue>>> items{};  ///< keys are of `dict`
  const ChangedKeys* changed = nullptr;                                     ///< of a `dict`
};

/// What is printed if one item of the list or dictionary is. If what one of them prints is not
/// known, it may be the same text as another one, which is doubtful then.
std::vector<TemplateValue> any_item_of(const TemplateValue& value);

/// A run of a `range`.
struct LoopRun {
  std::size_t index = 0;
  std::size_t count = 0;  ///< of all runs
};

/// One run of a template, or of a definition that is included.
struct TemplateFrame {
  std::size_t source = 0;
  std::size_t piece = 0;              ///< where it is
  std::vector<std::string> charts{};  ///< the sub-chart of the template that Helm renders
  std::shared_ptr<const TemplateFrame> caller{};  ///< of a definition
  const TemplateExpression* argument = nullptr;   ///< that the caller passes
  /// Which run of the `range` around the piece it is; nothing if it is not known.
  std::function<std::optional<LoopRun>(std::size_t block)> run{};
};

/// Finds what expressions may print.
class TemplateValues {
 public:
  TemplateValues(std::span<const PackageSource> sources, std::span<const GoTemplate> templates,
                 const ChartValues& values);

  /// All that the expression of the frame's piece may print, or parts of it.
  std::vector<TemplateValue> of(const TemplateFrame& frame,
                                const TemplateExpression& expression) const;

 private:
  class Evaluation;
  void add_changes(std::size_t source, const TemplateExpression& expression);
  /// Whether it is a variable that only holds new dictionaries.
  bool is_made(std::size_t source, const TemplateExpression& expression) const;
  struct Definition {
    std::size_t source = 0;
    std::size_t block = 0;
  };

  std::span<const PackageSource> sources_;
  std::span<const GoTemplate> templates_;
  const ChartValues& values_;
  std::map<std::string, std::vector<Definition>, std::less<>> definitions_;
  /// The pieces of each source that set a variable, by its name.
  std::vector<std::map<std::string, std::vector<std::size_t>, std::less<>>> settings_;
  /// Of dictionaries in variables, by the source and the variable.
  std::map<std::pair<std::size_t, std::string>, ChangedKeys> changed_variables_;
  ChangedKeys changed_;            ///< of all other ones
  mutable std::size_t steps_ = 0;  ///< of all evaluations
};

}  // namespace cnsched
