#include "cli/output/excerpt.h"

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

constexpr std::size_t kTabWidth = 4;
constexpr std::string_view kEllipsis = "…";

/// `raw` with tabs as spaces and unprintable characters as escapes.
std::string shown(std::string_view raw) {
  std::string text;
  while (!raw.empty()) {
    const std::size_t tab = raw.find('\t');
    text += printable(raw.substr(0, tab));
    if (tab == std::string_view::npos) break;
    text.append(kTabWidth, ' ');
    raw.remove_prefix(tab + 1);
  }
  return text;
}

/// Cuts `columns` columns from the front of `text`.
std::string_view without_columns(std::string_view text, std::size_t columns) {
  while (!text.empty() && columns > 0) {
    const std::size_t bytes = std::max<std::size_t>(utf8_length(text), 1);
    columns -= std::min(columns, display_width(text.substr(0, bytes)));
    text.remove_prefix(bytes);
  }
  return text;
}

/// The first `columns` columns of `text`.
std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  std::size_t used = 0;
  while (bytes < text.size()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text.substr(bytes)), 1);
    const std::size_t width = display_width(text.substr(bytes, length));
    if (used + width > columns) break;
    used += width;
    bytes += length;
  }
  return text.substr(0, bytes);
}

/// Cuts a long line (for example minified JSON) to `width` columns around the span.
void crop(Excerpt& excerpt, std::size_t width) {
  const std::string line = std::move(excerpt.text);
  const std::size_t columns = display_width(line);
  const std::size_t room = width - 2;  // an ellipsis on either side
  const bool at_front = excerpt.caret + excerpt.caret_size <= room;
  const std::size_t wanted = at_front ? 0 : excerpt.caret - std::min(excerpt.caret, room / 3);
  const std::string_view rest = without_columns(line, std::min(wanted, columns - room));
  // Wide characters are removed as a whole, so more columns may be removed than requested.
  const std::size_t removed = columns - display_width(rest);
  excerpt.text.clear();
  if (removed > 0) {
    excerpt.text = kEllipsis;
    excerpt.caret = excerpt.caret - removed + 1;
  }
  const std::string_view window = first_columns(rest, room);
  excerpt.text += window;
  if (window.size() < rest.size()) excerpt.text += kEllipsis;
  excerpt.caret_size = std::min(excerpt.caret_size, width - std::min(width - 1, excerpt.caret));
}

}  // namespace

Excerpt excerpt_of(const SourceFile& file, Span span, std::size_t width) {
  Excerpt excerpt;
  excerpt.line = file.line_of(span.begin);
  std::string_view raw = file.line(excerpt.line);
  std::size_t begin = span.begin - file.line_start(excerpt.line);
  if (excerpt.line == 1 && raw.starts_with(kByteOrderMark)) {
    raw.remove_prefix(kByteOrderMark.size());
    begin -= std::min(begin, kByteOrderMark.size());
  }
  begin = std::min(begin, raw.size());
  // A minified document is one line of megabytes: read no more than can be shown.
  const std::size_t reach = 8 * width;
  const auto continues = [&](std::size_t at) {
    return at < raw.size() && (static_cast<unsigned char>(raw[at]) & 0xC0U) == 0x80U;
  };
  std::size_t from = begin - std::min(begin, reach);
  while (from > 0 && continues(from)) --from;
  std::size_t to = std::min(raw.size(), begin + reach);
  while (to > begin && continues(to)) --to;
  raw = raw.substr(from, to - from);
  begin -= from;
  const std::size_t length = std::min<std::size_t>(span.end - span.begin, raw.size() - begin);

  excerpt.caret = display_width(shown(raw.substr(0, begin)));
  excerpt.caret_size = std::max<std::size_t>(1, display_width(shown(raw.substr(begin, length))));
  excerpt.text = shown(raw);
  if (display_width(excerpt.text) > width) crop(excerpt, width);
  return excerpt;
}

}  // namespace cnsched::cli
