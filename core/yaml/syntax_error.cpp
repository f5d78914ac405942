#include "core/yaml/syntax_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"

namespace cnsched::yaml {

namespace {

/// The line of a document around which an error is explained.
struct Line {
  const SourceFile& file;
  std::size_t number;

  std::string_view text() const { return file.line(number); }
  std::string_view content() const { return trim(text()); }
  std::size_t indent() const {
    const std::size_t first = text().find_first_not_of(" \t");
    return first == std::string_view::npos ? 0 : first;
  }
  std::uint32_t begin() const { return file.line_start(number); }
  Span all() const {
    const auto start = static_cast<std::uint32_t>(begin() + indent());
    return {file.id(), start, start + static_cast<std::uint32_t>(content().size())};
  }
  Span at(std::size_t column, std::size_t length) const {
    const auto start = static_cast<std::uint32_t>(begin() + column);
    return {file.id(), start, start + static_cast<std::uint32_t>(length)};
  }
  bool is_blank() const { return content().empty() || content().starts_with('#'); }
};

std::string_view value_after_colon(std::string_view line) {
  const std::size_t colon = line.find(": ");
  return colon == std::string_view::npos ? std::string_view() : trim(line.substr(colon + 2));
}

std::optional<Problem> explain_tab(const Line& line) {
  const std::size_t tab = line.text().substr(0, line.indent()).find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  return Problem{line.at(tab, 1), "a tab indents this line, and YAML indents with spaces only",
                 "replace the tab by spaces"};
}

std::optional<Problem> explain_ellipsis(const Line& line) {
  if (!line.content().starts_with("...")) return std::nullopt;
  return Problem{line.at(line.indent(), 3), "'...' stands for lines that were left out, it is no YAML",
                 "write the missing lines, or put a # before the dots"};
}

/// `{name}/image`, `[a] b`, `"a" b`: a value that begins like a collection or a string and goes on.
std::optional<Problem> explain_text_behind(const Line& line) {
  std::string_view value = line.content();
  while (value.starts_with("- ")) value = trim(value.substr(2));
  if (const std::string_view after = value_after_colon(value); !after.empty()) value = after;
  if (value.empty()) return std::nullopt;
  const std::size_t column = static_cast<std::size_t>(value.data() - line.text().data());
  const char first = value.front();
  const char closer = first == '{' ? '}' : first == '[' ? ']' : first;
  if (first == '{' || first == '[' || first == '"' || first == '\'') {
    const std::size_t end = value.find(closer, 1);
    if (end == std::string_view::npos || end + 1 == value.size()) return std::nullopt;
    const std::string_view behind = trim(value.substr(end + 1));
    if (behind.empty() || behind.starts_with('#') || behind.starts_with(',')) return std::nullopt;
    return Problem{line.at(column, value.size()),
                   fmt::format("a value that begins with {} has to end with {}", first, closer),
                   "quote the whole value"};
  }
  if (first == '@' || first == '`' || first == '%') {
    return Problem{line.at(column, 1), fmt::format("a plain value cannot begin with '{}'", first),
                   "quote the value"};
  }
  if (first == '*') {
    return Problem{line.at(column, value.size()),
                   fmt::format("'{}' is read as an alias, and no anchor of that name exists", value),
                   "quote the value, or define the anchor above"};
  }
  return std::nullopt;
}

std::optional<Problem> explain_second_colon(const Line& line, std::string_view message) {
  if (!message.starts_with("illegal map value")) return std::nullopt;
  std::string_view content = line.content();
  const std::size_t first = content.find(": ");
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = content.find(':', first + 2);
  if (second == std::string_view::npos) return std::nullopt;
  return Problem{line.at(line.indent() + second, 1),
                 "a second ': ' on one line: a plain value cannot hold it", "quote the value"};
}

/// The nearest line above that is neither blank nor a comment.
std::optional<Line> line_above(const Line& line, std::size_t first) {
  for (std::size_t number = line.number; number > first; --number) {
    const Line above{line.file, number - 1};
    if (!above.is_blank()) return above;
  }
  return std::nullopt;
}

std::optional<Problem> explain_indentation(const Line& line, std::size_t first) {
  const auto above = line_above(line, first);
  if (!above) return std::nullopt;
  const std::string_view value = value_after_colon(above->content());
  const bool above_has_value = !value.empty() && !value.starts_with('#');
  if (line.indent() > above->indent() && above_has_value) {
    return Problem{line.all(), "indented as if it belonged to the line above, which has a value already",
                   "align it with its siblings",
                   {{above->all(), "this line is complete"}}};
  }
  return Problem{line.all(), "does not fit the structure above: the indentation matches no open block",
                 "align it with its siblings",
                 {{above->all(), "the line above"}}};
}

std::optional<Problem> explain_missing_colon(const Line& line) {
  const std::string_view content = line.content();
  if (content.empty() || content.starts_with('-') || content.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  return Problem{line.all(), "neither 'key: value' nor a list item",
                 "add the missing ':', or remove the line"};
}

std::optional<Problem> explain_unclosed(const SourceFile& file, Span where,
                                        std::string_view message) {
  const bool sequence = message == "end of sequence flow not found";
  if (!sequence && message != "end of map flow not found") return std::nullopt;
  // The last bracket that is opened and not closed again; quotes are passed over.
  std::vector<std::uint32_t> open;
  const std::string_view text = file.text(where);
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') && i > 0 && std::string_view(" [{,:").find(text[i - 1]) != std::string_view::npos) {
      quote = c;
    } else if (c == (sequence ? '[' : '{')) {
      open.push_back(where.begin + static_cast<std::uint32_t>(i));
    } else if (c == (sequence ? ']' : '}') && !open.empty()) {
      open.pop_back();
    }
  }
  if (open.empty()) return std::nullopt;
  return Problem{{file.id(), open.back(), open.back() + 1},
                 fmt::format("the {} that opens here is never closed", sequence ? '[' : '{'),
                 fmt::format("add the missing {}", sequence ? ']' : '}')};
}

}  // namespace

Problem explain(const SourceFile& file, Span where, std::size_t offset,
                std::string_view yaml_cpp_message) {
  const std::uint32_t at =
      std::min(where.begin + static_cast<std::uint32_t>(offset), where.end);
  const std::size_t first = file.line_of(where.begin);
  Line line{file, file.line_of(at)};
  // yaml-cpp often notices only at the start of a line, or at the end of the input.
  if (line.is_blank()) {
    if (const auto above = line_above(line, first)) line.number = above->number;
  }
  if (auto problem = explain_unclosed(file, where, yaml_cpp_message)) return *problem;
  if (auto problem = explain_tab(line)) return *problem;
  if (auto problem = explain_ellipsis(line)) return *problem;
  if (auto problem = explain_text_behind(line)) return *problem;
  if (auto problem = explain_second_colon(line, yaml_cpp_message)) return *problem;
  if (yaml_cpp_message == "bad file") {
    return {line.all(), "nested too deeply", "500 levels are the limit"};
  }
  if (yaml_cpp_message.starts_with("unknown escape character") ||
      yaml_cpp_message.starts_with("invalid unicode")) {
    const Span place{file.id(), at, std::min(at + 1, where.end)};
    return {place, fmt::format("{} in a double-quoted string", yaml_cpp_message),
            "double the backslash, or use single quotes"};
  }
  if (auto problem = explain_missing_colon(line)) return *problem;
  if (auto problem = explain_indentation(line, first)) return *problem;
  return {line.all(), fmt::format("this is no YAML: {}", yaml_cpp_message), ""};
}

}  // namespace cnsched::yaml
