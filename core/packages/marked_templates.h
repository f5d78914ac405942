#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/go_template.h"
#include "core/packages/origin.h"

namespace cnsched {

/// A part of a line of a template that prints something.
struct PrintedPart {
  enum class Kind : std::uint8_t {
    text,    ///< prints itself
    action,  ///< prints the value of an expression
    blocks,  ///< a whole `if` … `end` within the line, or several
  };
  Kind kind = Kind::text;
  std::size_t first = 0;    ///< its piece, or the first one
  std::uint32_t begin = 0;  ///< bytes of the template
  std::uint32_t end = 0;
};

/// A comment that is added to a template. It follows, in what is rendered, the text that these
/// parts print.
struct TemplateMark {
  std::size_t source = 0;  ///< the template
  std::size_t block = 0;   ///< the block that the mark is in
  std::uint32_t at = 0;    ///< its place in the template
  std::vector<PrintedPart> parts{};
};

/// The templates of a chart with a comment at the end of each line that prints something:
/// `name: llama #⟦7⟧`. A comment changes neither what Helm renders nor its order, so what is
/// rendered with them shows the line of the template for each line of the output, however it was
/// included and repeated.
struct MarkedTemplates {
  std::vector<GoTemplate> templates{};  ///< of each source; empty for what is no template
  std::vector<TemplateMark> marks{};
  std::map<std::size_t, std::string> texts{};  ///< the marked templates, by source
  std::string sign{};                          ///< what a mark begins with: " #⟦"
  /// Where a line begins to print something without a mark, by source and definition (0: the
  /// file). What follows it there may be printed after such a line.
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> unmarked{};
};

/// Marks the templates among the sources. Templates are not marked whose text a template compares
/// or changes (`eq (include "mode" .) "raw"`), and none if a name of an included one is computed.
MarkedTemplates mark_templates(std::span<const PackageSource> sources);

/// A mark in rendered text.
struct RenderedMark {
  std::size_t mark = 0;
  std::uint32_t at = 0;  ///< the byte of the text without marks
};

/// What is rendered from marked templates.
struct MarkedText {
  std::string text{};  ///< without the marks
  std::vector<RenderedMark> marks{};
};

MarkedText read_marked(std::string_view rendered, const MarkedTemplates& templates);

/// The names of the templates that the expression includes by a literal name.
std::vector<std::string_view> included_in(const TemplateExpression& expression);
/// Whether the expression includes a definition by a computed name.
bool includes_computed_name(const TemplateExpression& expression);

}  // namespace cnsched
