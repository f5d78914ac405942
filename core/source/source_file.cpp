#include "core/source/source_file.h"

#include <algorithm>

#include "core/base/text.h"

namespace cnsched {

SourceFile::SourceFile(FileId id, std::string path, std::string bytes)
    : id_(id), path_(std::move(path)), bytes_(std::move(bytes)), line_starts_{0} {
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    const bool lone_cr = bytes_[i] == '\r' && (i + 1 == bytes_.size() || bytes_[i + 1] != '\n');
    if (bytes_[i] == '\n' || lone_cr) line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

std::string_view SourceFile::text(Span span) const {
  return bytes().substr(span.begin, span.end - span.begin);
}

std::size_t SourceFile::line_of(std::uint32_t offset) const {
  const auto after = std::ranges::upper_bound(line_starts_, offset);
  return static_cast<std::size_t>(after - line_starts_.begin());
}

std::string_view SourceFile::line(std::size_t line) const {
  const std::size_t begin = line_starts_[line - 1];
  const std::size_t end = line < line_starts_.size() ? line_starts_[line] : bytes_.size();
  std::string_view text = bytes().substr(begin, end - begin);
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

Position SourceFile::position(std::uint32_t offset) const {
  const std::size_t line = line_of(offset);
  std::string_view before = bytes().substr(line_start(line), offset - line_start(line));
  if (line == 1 && before.starts_with(kByteOrderMark)) before.remove_prefix(kByteOrderMark.size());
  return {line, code_points(before) + 1};
}

}  // namespace cnsched
