#include "rules/engine/source_ignores.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace cnsched::rules {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::size_t indentation_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// What an action, which begins the text, has after its braces.
std::string_view inside_action(std::string_view text) {
  return trim(text.substr(text.starts_with("{{-") ? 3 : 2));
}

/// `{{- /*` at the start of a line: the rest is a comment of the template.
std::string_view without_template_comment(std::string_view text) {
  if (!text.starts_with("{{")) return text;
  text = inside_action(text);
  return text.starts_with("/*") ? trim(text.substr(2)) : std::string_view();
}

/// Whether the line is an action that prints nothing itself.
bool is_control(std::string_view line) {
  if (!line.starts_with("{{")) return false;
  line = inside_action(line);
  constexpr std::array<std::string_view, 9> kWords = {
      "if ", "else", "end", "with ", "range ", "define ", "/*", "block ", "$"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return line.starts_with(word); });
}

/// Where the comment of a line begins; npos if it has none. In quotes `#` is text.
std::size_t comment_in(std::string_view line) {
  constexpr std::string_view kBeforeQuote = " \t[{,:(";
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const char before = i == 0 ? ' ' : line[i - 1];
    if (quote == '"' && c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') && kBeforeQuote.find(before) != std::string_view::npos) {
      quote = c;
    } else if (c == '#' && kBlanks.find(before) != std::string_view::npos) {
      return i;
    }
  }
  return std::string_view::npos;
}

/// Where a comment of the template begins in the line; npos if there is none.
std::size_t template_comment_in(std::string_view line) {
  for (std::size_t at = line.find("/*"); at != std::string_view::npos;
       at = line.find("/*", at + 1)) {
    const std::string_view before = trim(line.substr(0, at));
    if (before.ends_with("{{") || before.ends_with("{{-")) return line.rfind("{{", at);
  }
  return std::string_view::npos;
}

bool is_item(std::string_view line) {
  line = trim(line);
  return line == "-" || line.starts_with("- ");
}

/// The comment of a line that may be a suppression, and whether it has the line for itself.
struct LineComment {
  Span where;
  bool own_line = false;
};

std::optional<LineComment> comment_on(const SourceFile& file, std::size_t number) {
  const std::string_view line = file.line(number);
  if (!mentions_cnsched(line)) return std::nullopt;
  const std::string_view content = trim(line);
  const std::size_t action = template_comment_in(content);
  const bool is_of_template = action != std::string_view::npos;
  const std::size_t begins = is_of_template ? action : comment_in(content);
  if (begins == std::string_view::npos) return std::nullopt;
  const bool own_line = begins == 0;
  std::string_view comment = trim(content.substr(begins));
  if (is_of_template) comment = without_template_comment(comment);
  const std::size_t end = is_of_template ? comment.find("*/") : std::string_view::npos;
  comment = trim(comment.substr(0, end));
  const std::uint32_t begin =
      file.line_start(number) + static_cast<std::uint32_t>(comment.data() - line.data());
  return LineComment{{file.id(), begin, begin + static_cast<std::uint32_t>(comment.size())},
                     own_line};
}

/// The lines of the entry that begins below the line: those that are further indented, and the
/// items of its list.
Span entry_below(const SourceFile& file, std::size_t number) {
  const std::size_t count = file.line_count();
  std::size_t first = number + 1;
  while (first <= count) {
    const std::string_view line = trim(file.line(first));
    if (!line.empty() && !line.starts_with('#') && !is_control(line)) break;
    ++first;
  }
  if (first > count) return {file.id(), 0, 0};
  const std::string_view head = file.line(first);
  const std::size_t indentation = indentation_of(head);
  const std::string_view key = trim(head.substr(0, comment_in(head)));
  const bool has_list = key.ends_with(':') && !is_item(head);
  std::size_t last = first;
  for (std::size_t next = first + 1; next <= count; ++next) {
    const std::string_view line = file.line(next);
    const std::string_view content = trim(line);
    if (content.empty() || content.starts_with('#') || is_control(content)) continue;
    const std::size_t depth = indentation_of(line);
    const bool is_of_list = has_list && depth == indentation && is_item(line);
    if (depth <= indentation && !is_of_list) break;
    last = next;
  }
  const auto end =
      static_cast<std::uint32_t>(last < count ? file.line_start(last + 1) : file.bytes().size());
  return {file.id(), file.line_start(first), end};
}

Span line_span(const SourceFile& file, std::size_t number) {
  const std::uint32_t begin = file.line_start(number);
  return {file.id(), begin, begin + static_cast<std::uint32_t>(file.line(number).size())};
}

}  // namespace

std::vector<SourceIgnore> ignores_in_source(const SourceFile& file) {
  std::vector<SourceIgnore> result;
  if (!mentions_cnsched(file.bytes())) return result;
  for (std::size_t number = 1; number <= file.line_count(); ++number) {
    const std::optional<LineComment> comment = comment_on(file, number);
    if (!comment) continue;
    std::optional<Ignore> ignore = read_ignore(file, comment->where);
    if (!ignore) continue;
    Span lines = line_span(file, number);
    if (ignore->of_file) {
      lines = file.whole();
    } else if (comment->own_line) {
      lines = entry_below(file, number);
    }
    result.push_back({*std::move(ignore), lines});
  }
  return result;
}

}  // namespace cnsched::rules
