// Edits show which comments they remove. A comment that an edit writes again, in its text, is not
// lost. The others become lines above the edit, at the indentation of its first line.
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/yaml/candidates.h"

namespace cnsched::yaml {

namespace {

using Counts = std::map<std::string_view, std::size_t>;

/// Counts what may be comments in the lines of `text`: from the first '#' and from the last one.
void count_comments(std::string_view text, Counts& counts) {
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t first = line.find('#');
    if (first == std::string_view::npos) continue;
    const std::size_t last = line.rfind('#');
    ++counts[line.substr(first)];
    if (last != first) ++counts[line.substr(last)];
  }
}

bool is_within(Span inner, const std::vector<Span>& outer) {
  return std::ranges::any_of(
      outer, [&](Span span) { return inner.begin >= span.begin && inner.end <= span.end; });
}

}  // namespace

std::vector<Edit> with_lost_comments(const Layout& layout, std::vector<Edit> edits,
                                     const std::vector<Span>& removed) {
  Counts repeated;
  for (const Edit& edit : edits) count_comments(edit.text, repeated);
  const std::uint32_t base = layout.span({0, 0}).begin;
  std::vector<Edit> result;
  auto comment = layout.comments().begin();
  const auto end = layout.comments().end();
  for (Edit& edit : edits) {
    while (comment != end && comment->span.begin < edit.where.begin) ++comment;
    const std::size_t begin = edit.where.begin - base;
    const std::size_t line = layout.line_begin(begin);
    std::string lines;
    for (; comment != end && comment->span.begin < edit.where.end; ++comment) {
      const std::string_view text = layout.text_of(*comment);
      const auto known = repeated.find(text);
      const bool is_repeated = known != repeated.end() && known->second > 0;
      if (is_repeated) --known->second;
      if (is_repeated || is_within(comment->span, removed)) continue;
      lines += layout.text.substr(line, layout.skip_spaces(line) - line);
      lines += text;
      lines += layout.line_break();
    }
    // An edit before it may remove the beginning of the line.
    const bool is_line_edited =
        line == begin || (!result.empty() && result.back().where.end > base + line);
    if (!lines.empty() && is_line_edited) {
      (line == begin ? edit : result.back()).text.insert(0, lines);
    } else if (!lines.empty()) {
      result.push_back(insert(layout, line, lines));
    }
    result.push_back(std::move(edit));
  }
  return result;
}

}  // namespace cnsched::yaml
