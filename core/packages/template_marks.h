#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/go_template.h"
#include "core/packages/origin.h"

namespace cnsched::packages {

/// A line of a template that prints something.
struct TemplateLine {
  std::size_t source = 0;
  std::uint32_t begin = 0;  ///< bytes of the source, without blanks around
  std::uint32_t end = 0;
  bool is_defined = false;             ///< in a definition, which any template may include
  std::vector<std::size_t> outputs{};  ///< the pieces that print the value of an expression
};

/// Finds the lines of templates that print the lines of a rendering. The templates are rendered
/// with a comment at the end of each line that prints something: `name: llama #zqm7z`. It is
/// printed behind what the line prints, however the template was included and repeated.
class TemplateMarks {
 public:
  /// `templates`: of each source, without pieces for what is none. `sign`: a text that is in no
  /// source and not in what is rendered. All arguments must outlive this.
  TemplateMarks(std::span<const PackageSource> sources, std::span<const GoTemplate> templates,
                std::string sign);

  /// The sources that have such lines.
  std::vector<std::size_t> sources() const;
  /// The text of a source with marks.
  std::string marked(std::size_t source) const;
  /// Reads the marks in what was rendered with them. False if the documents are
  /// others than those of `rendered`.
  bool read(const SourceFile& rendered, std::string_view marked);

  /// The line that printed what ends at `end`, in `rendered`; null if it is not known. The mark is
  /// before `limit`, the end of the rendered document or of the rendered line.
  const TemplateLine* line_at(std::uint32_t end, std::uint32_t limit) const;

 private:
  void add_lines(std::size_t source);
  void add_line(std::size_t source, const TemplatePiece& text, std::size_t at);

  std::span<const PackageSource> sources_;
  std::span<const GoTemplate> templates_;
  std::string sign_;
  std::vector<TemplateLine> lines_;
  std::vector<std::uint32_t> places_;  ///< of the marks of the lines, in their sources
  std::multimap<std::uint32_t, std::size_t> printed_;  ///< lines, by bytes of the rendered text
};

}  // namespace cnsched::packages
