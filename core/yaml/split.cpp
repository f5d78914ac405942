#include "core/yaml/split.h"

#include <algorithm>

#include "core/base/scan.h"
#include "core/base/text.h"

namespace cnsched::yaml {

namespace {

constexpr std::string_view kSeparator = "---";

bool is_separator(std::string_view line) {
  if (!line.starts_with(kSeparator)) return false;
  line.remove_prefix(kSeparator.size());
  return line.empty() || kBlanksAndLineEnds.has(line.front());
}

/// The beginning of the first separator line after `from`, or the end.
std::size_t find_separator(std::string_view text, std::size_t from) {
  const auto may_precede_separator = [](const char* place) {
    const bool ends_line = (place[0] == '\n') | (place[0] == '\r');
    return static_cast<unsigned char>(ends_line & (place[1] == '-') & (place[2] == '-'));
  };
  const std::size_t line_end = scan(text, from, may_precede_separator, [&](std::size_t at) {
    return is_separator(text.substr(at + 1));
  });
  return std::min(line_end, text.size() - 1) + 1;
}

/// Whether `line` has more than a comment, a directive or a document end marker.
bool has_content(std::string_view line) {
  if (is_separator(line)) line.remove_prefix(3);
  if (line.starts_with('%')) return false;
  line = trim(line);
  return !line.empty() && !line.starts_with('#') && line != "...";
}

/// Whether any line has content.
bool any_content(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(kLineEnds.find_first_in(lines), lines.size());
    if (has_content(lines.substr(0, end))) return true;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return false;
}

/// A byte order mark is part of no document.
std::size_t end_of_byte_order_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

}  // namespace

std::vector<Span> split(const SourceFile& file) { return split(file, file.whole()); }

std::vector<Span> split(const SourceFile& file, Span part) {
  const std::string_view text = file.bytes().substr(0, part.end);
  std::vector<Span> documents;
  std::size_t begin = part.begin == 0 ? end_of_byte_order_mark(text) : part.begin;
  bool separated = false;  // the current piece has a separator
  for (std::size_t line = begin; line < text.size();) {
    const bool separator = is_separator(text.substr(line));
    if (separator && separated) begin = line;  // nothing is between the two
    separated = separated || separator;
    const std::size_t end = find_separator(text, line);
    if (any_content(text.substr(line, end - line))) {
      documents.push_back(
          {file.id(), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
      begin = end;
    }
    line = end;
  }
  return documents;
}

std::vector<Span> parts_of(const SourceFile& file, std::size_t bytes) {
  const std::string_view text = file.bytes();
  std::vector<Span> parts;
  // Comments before the first document are part of it.
  bool any = false;
  std::size_t end = end_of_byte_order_mark(text);
  for (std::size_t begin = 0; begin < text.size(); begin = end) {
    do {
      const std::size_t from = end;
      end = find_separator(text, std::min(std::max(begin + bytes, from), text.size() - 1));
      any = any || any_content(text.substr(from, end - from));
    } while (!any && end < text.size());
    parts.push_back(
        {file.id(), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  }
  return parts;
}

namespace {

/// The content of a line after a leading `---`.
std::string_view after_separator(std::string_view line) {
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  const bool separates = line.starts_with("---") && (line.size() == 3 || line[3] == ' ');
  return trim(separates ? line.substr(3) : line);
}

}  // namespace

Head head_of(const SourceFile& file) {
  Head head;
  const std::string_view text = file.bytes();
  while (head.end < text.size()) {
    const std::size_t line_end = std::min(kLineEnds.find_first_in(text, head.end), text.size());
    const std::string_view line = text.substr(head.end, line_end - head.end);
    const std::string_view content = after_separator(line);
    if (content.starts_with('#')) {
      const auto at = static_cast<std::uint32_t>(content.data() - line.data());
      head.comments.push_back(
          {file.id(), head.end + at, head.end + static_cast<std::uint32_t>(line.size())});
    } else if (!content.empty() && !line.starts_with('%')) {
      return head;
    }
    head.end = static_cast<std::uint32_t>(std::min(line_end + 1, text.size()));
  }
  return head;
}

}  // namespace cnsched::yaml
