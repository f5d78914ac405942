#include "core/yaml/head.h"

#include <algorithm>

#include "core/base/char_set.h"
#include "core/base/text.h"

namespace cnsched::yaml {

namespace {

/// What is in a line beside a `---` in front.
std::string_view behind_separator(std::string_view line) {
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
    const std::string_view content = behind_separator(line);
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
