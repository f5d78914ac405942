#include "core/yaml/split.h"

#include <algorithm>

#include "core/base/char_set.h"
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

/// Where the first line behind `from` begins that is a separator, or the end.
std::size_t find_separator(std::string_view text, std::size_t from) {
  const auto may_be_in_front = [](const char* place) {
    const bool ends_line = (place[0] == '\n') | (place[0] == '\r');
    return static_cast<unsigned char>(ends_line & (place[1] == '-') & (place[2] == '-'));
  };
  const std::size_t line_end = scan(text, from, may_be_in_front, [&](std::size_t at) {
    return is_separator(text.substr(at + 1));
  });
  return std::min(line_end, text.size() - 1) + 1;
}

/// Whether `line` holds more than a comment, a directive or a document's end.
bool has_content(std::string_view line) {
  if (is_separator(line)) line.remove_prefix(3);
  if (line.starts_with('%')) return false;
  line = trim(line);
  return !line.empty() && !line.starts_with('#') && line != "...";
}

/// Whether any line does.
bool any_content(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(kLineEnds.find_first_in(lines), lines.size());
    if (has_content(lines.substr(0, end))) return true;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return false;
}

/// A byte order mark is part of no document.
std::size_t behind_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

}  // namespace

std::vector<Span> split(const SourceFile& file) { return split(file, file.whole()); }

std::vector<Span> split(const SourceFile& file, Span part) {
  const std::string_view text = file.bytes().substr(0, part.end);
  std::vector<Span> documents;
  std::size_t begin = part.begin == 0 ? behind_mark(text) : part.begin;
  bool separated = false;  // the current piece begins with a separator, or holds one already
  for (std::size_t line = begin; line < text.size();) {
    const bool separator = is_separator(text.substr(line));
    if (separator && separated) begin = line;  // nothing stood between the two
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
  // Comments in front of the first document are part of it.
  bool any = false;
  std::size_t end = behind_mark(text);
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

}  // namespace cnsched::yaml
