#include "cli/lsp/hover.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/lsp/requests.h"
#include "cli/output/safe_text.h"
#include "core/base/text.h"

namespace cnsched::cli::lsp {

void HoverText::add_paragraph(std::string_view text) {
  if (!text_.empty()) text_ += '\n';
  text_ += fmt::format("{}\n", text);
}

void HoverText::add_item(std::string_view text) { text_ += fmt::format("- {}\n", text); }

void HoverText::add_yaml(std::string_view yaml) {
  const std::vector<std::string_view> lines = split(yaml, '\n');
  text_ += is_markdown_ ? "\n```yaml\n" : "\n";
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) {
    // No line of YAML that is written here begins with a backtick.
    text_ += fmt::format("{}{}\n", is_markdown_ ? "" : "  ", lines[i]);
  }
  if (lines.size() > kMaxLines) {
    text_ += fmt::format("# {} more\n", count_of(lines.size() - kMaxLines, "line"));
  }
  if (is_markdown_) text_ += "```\n";
}

std::string HoverText::code(std::string_view text) const {
  std::string shown = printable(text);
  if (!is_markdown_) return fmt::format("'{}'", shown);
  std::ranges::replace(shown, '`', '\'');  // the only character that ends a code span
  return fmt::format("`{}`", shown);
}

std::string HoverText::words(std::string_view text) const {
  return is_markdown_ ? markdown_text(text) : printable(text);
}

Json hover(const Question& question, const Session& session) {
  const auto cursor = cursor_at(question.path, question.place, session);
  if (!cursor || cursor->node == nullptr) return nullptr;
  HoverText text(session.client.hovers_in_markdown);
  add_effective_values(*cursor, session, text);
  add_matching_pools(*cursor, session, text);
  add_accelerator_record(*cursor->node, text);
  if (text.empty()) return nullptr;
  const Span where = cursor->is_on_key ? cursor->node->key()->span : cursor->node->span;
  return {{"contents",
           {{"kind", session.client.hovers_in_markdown ? "markdown" : "plaintext"},
            {"value", text.text()}}},
          {"range", json_of(session.range_of(where))}};
}

}  // namespace cnsched::cli::lsp
