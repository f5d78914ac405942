#include "core/yaml/split.h"

#include "core/base/text.h"

namespace cnsched::yaml {

namespace {

bool is_separator(std::string_view line) {
  return line.starts_with("---") && (line.size() == 3 || line[3] == ' ' || line[3] == '\t');
}

/// Whether `line` holds more than a comment, a directive or a document's end.
bool has_content(std::string_view line) {
  if (is_separator(line)) line.remove_prefix(3);
  if (line.starts_with('%')) return false;
  line = trim(line);
  return !line.empty() && !line.starts_with('#') && line != "...";
}

}  // namespace

std::vector<Span> split(const SourceFile& file) {
  std::vector<Span> documents;
  Span current{file.id(), 0, 0};
  bool content = false;
  bool separated = false;  // the current piece begins with a separator, or holds one already
  const auto finish = [&](std::uint32_t end) {
    current.end = end;
    if (content) documents.push_back(current);
    current.begin = end;
    content = false;
  };
  for (std::size_t number = 1; number <= file.line_count(); ++number) {
    std::string_view line = file.line(number);
    if (number == 1 && line.starts_with(kByteOrderMark)) {
      line.remove_prefix(kByteOrderMark.size());
      current.begin = static_cast<std::uint32_t>(kByteOrderMark.size());
    }
    if (is_separator(line)) {
      if (content) finish(file.line_start(number));
      if (separated) current.begin = file.line_start(number);  // nothing stood between the two
      separated = true;
    }
    if (has_content(line)) content = true;
  }
  finish(static_cast<std::uint32_t>(file.bytes().size()));
  return documents;
}

}  // namespace cnsched::yaml
