#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/packages/chart_values.h"
#include "core/packages/loop_runs.h"
#include "core/packages/marked_templates.h"
#include "core/packages/origin.h"
#include "core/packages/template_calls.h"
#include "core/packages/template_values.h"
#include "core/yaml/document.h"

namespace cnsched {

/// A part of a template's line, and what it prints.
struct PrintedText {
  PrintedPart part;
  std::uint32_t begin = 0;  ///< bytes of the rendered text
  std::uint32_t end = 0;
};

/// Finds the template, and the values file, that rendered text comes from. Helm renders the chart
/// a second time with marked templates (MarkedTemplates): the marks tell the line of the template.
/// What an action prints is searched in the values that its expression names, and must be equal.
class ChartOrigins {
 public:
  /// `rendered` is what Helm makes of the chart, `marked` of the marked one. All other arguments
  /// must outlive this.
  ChartOrigins(std::span<const PackageSource> sources, const MarkedTemplates& templates,
               const ChartValues& values, const SourceFile& rendered, std::string_view marked);

  /// The origin of the key or the value at `where` in a document of the rendered text.
  Origin of(const yaml::Document& document, Span where, Aspect aspect) const;

 private:
  class Search;

  void read_marks(std::string_view marked);
  void find_callers();
  void count_loops();

  std::span<const PackageSource> sources_;
  const MarkedTemplates& templates_;
  const ChartValues& values_;
  TemplateValues printed_values_;
  const SourceFile& rendered_;
  std::vector<RenderedMark> marks_;  ///< at bytes of the rendered text
  std::vector<bool> differs_;        ///< of the lines (from 1), if marks change what they print
  std::map<std::string, std::size_t> by_path_;
  TemplateCalls calls_;
  /// The marks of lines that include a definition, by its name.
  std::map<std::string_view, std::vector<std::size_t>> callers_;
  std::optional<LoopRuns> loops_{};
};

}  // namespace cnsched
