#include "core/source/source_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "core/base/scan.h"
#include "core/base/text.h"

namespace cnsched {

namespace {

/// The maximum number of bytes to read for a column number.
constexpr std::size_t kBlock = 4096;

bool begins_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

std::uint32_t count_code_points(std::string_view text) {
  return static_cast<std::uint32_t>(std::ranges::count_if(text, begins_code_point));
}

}  // namespace

struct SourceFile::Lines {
  std::once_flag computed;
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> points_before;  ///< code points before each block of kBlock bytes

  void compute(std::string_view bytes);
};

SourceFile::SourceFile(FileId id, std::string path, std::string bytes)
    : id_(id),
      path_(std::move(path)),
      bytes_(std::move(bytes)),
      lines_(std::make_unique<Lines>()) {}

SourceFile::~SourceFile() = default;

const SourceFile::Lines& SourceFile::lines() const {
  std::call_once(lines_->computed, [&] { lines_->compute(bytes_); });
  return *lines_;
}

void SourceFile::Lines::compute(std::string_view bytes) {
  starts.push_back(0);
  for (std::size_t at = kLineEnds.find_first_in(bytes); at != std::string::npos;
       at = kLineEnds.find_first_in(bytes, at + 1)) {
    const bool crlf = bytes[at] == '\r' && at + 1 < bytes.size() && bytes[at + 1] == '\n';
    if (!crlf) starts.push_back(static_cast<std::uint32_t>(at + 1));
  }
  std::uint32_t points = 0;
  for (std::size_t i = 0; i <= bytes.size(); i += kBlock) {
    points_before.push_back(points);
    points += count_code_points(bytes.substr(i, kBlock));
  }
}

std::size_t SourceFile::line_count() const { return lines().starts.size(); }

std::uint32_t SourceFile::line_start(std::size_t line) const { return lines().starts[line - 1]; }

void SourceFile::keep_first(std::size_t size) {
  // Assigning a short string would keep the large buffer.
  std::string first(bytes_, 0, size);
  bytes_.swap(first);
  lines_ = std::make_unique<Lines>();
}

std::string_view SourceFile::text(Span span) const {
  return bytes().substr(span.begin, span.end - span.begin);
}

std::size_t SourceFile::line_of(std::uint32_t offset) const {
  const std::vector<std::uint32_t>& starts = lines().starts;
  return static_cast<std::size_t>(std::ranges::upper_bound(starts, offset) - starts.begin());
}

std::string_view SourceFile::line(std::size_t line) const {
  const std::vector<std::uint32_t>& starts = lines().starts;
  const std::size_t begin = starts[line - 1];
  const std::size_t end = line < starts.size() ? starts[line] : bytes_.size();
  std::string_view text = bytes().substr(begin, end - begin);
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

Position SourceFile::position(std::uint32_t offset) const {
  const std::size_t line = line_of(offset);
  const std::uint32_t start = line_start(line);
  const std::size_t mark = line == 1 && bytes().starts_with(kByteOrderMark) ? 1 : 0;
  const std::string_view before = bytes().substr(start, offset - start);
  // A minified document can be one line of megabytes with thousands of positions.
  const std::size_t points = before.size() <= kBlock
                                 ? code_points(before)
                                 : code_points_before(offset) - code_points_before(start);
  return {line, points - std::min(points, mark) + 1};
}

std::size_t SourceFile::code_points_before(std::uint32_t offset) const {
  const std::size_t block = offset / kBlock;
  return lines().points_before[block] +
         count_code_points(bytes().substr(block * kBlock, offset - block * kBlock));
}

std::string describe_line(Span where, const Sources& sources) {
  const SourceFile& file = *sources[where.file];
  return fmt::format("{}:{}", printable(file.path()), file.line_of(where.begin));
}

std::string apply(std::string_view bytes, std::vector<Edit> edits, std::uint32_t offset) {
  std::ranges::stable_sort(edits, {}, &Edit::where);
  std::string result;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    const Span& where = edit.where;
    // A position before `offset` wraps around to one after the end.
    const std::size_t begin = std::size_t{where.begin} - offset;
    const std::size_t end = std::size_t{where.end} - offset;
    if (where.file != edits.front().where.file || begin < done || end < begin ||
        end > bytes.size()) {
      throw std::logic_error(fmt::format(
          "the edit of bytes {} to {} of file {} overlaps another one, or is outside the text",
          where.begin, where.end, where.file));
    }
    result += bytes.substr(done, begin - done);
    result += edit.text;
    done = end;
  }
  return result += bytes.substr(done);
}

}  // namespace cnsched
