#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/packages/chart_values.h"
#include "core/packages/go_template.h"
#include "core/packages/origin.h"

namespace cnsched {

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
  ValuePath path{};     ///< of `value` and `key`; of `context` the chart
  std::string text{};   ///< of a literal
  SourcePlace place{};  ///< of a literal
  std::vector<std::pair<std::string, std::vector<TemplateValue>>> items{};  ///< keys are of `dict`
};

/// One run of a template, or of a definition that is included.
struct TemplateFrame {
  std::size_t source = 0;
  std::size_t piece = 0;              ///< where it is
  std::vector<std::string> charts{};  ///< the sub-chart of the template that Helm renders
  std::shared_ptr<const TemplateFrame> caller{};  ///< of a definition
  const TemplateExpression* argument = nullptr;   ///< that the caller passes
  /// How often a `range` around the piece has run its lines before; nothing if it is not known.
  std::function<std::optional<std::size_t>(std::size_t block)> iteration{};
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
  struct Definition {
    std::size_t source = 0;
    std::size_t block = 0;
  };

  std::span<const PackageSource> sources_;
  std::span<const GoTemplate> templates_;
  const ChartValues& values_;
  std::map<std::string, std::vector<Definition>, std::less<>> definitions_;
};

}  // namespace cnsched
