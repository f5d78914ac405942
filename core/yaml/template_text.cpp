#include "core/yaml/template_text.h"

#include <algorithm>
#include <optional>

#include "core/base/scan.h"
#include "core/base/text.h"

namespace cnsched::yaml {

namespace {

bool is_action(std::string_view text) { return text.starts_with("{{") || text.starts_with("{%"); }

/// The item after "- - ".
std::string_view without_dashes(std::string_view line) {
  while (line.starts_with("- ")) line = trim(line.substr(2));
  return line;
}

/// The value on a line `key: value`, or nothing. The key may be quoted.
std::optional<std::string_view> value_on(std::string_view line) {
  std::size_t from = 0;
  if (line.starts_with('"') || line.starts_with('\'')) {
    from = line.find(line.front(), 1);
    if (from == std::string_view::npos) return std::nullopt;
  }
  const std::size_t colon = line.find(": ", from);
  if (colon == std::string_view::npos) return std::nullopt;
  return trim(line.substr(colon + 2));
}

/// Whether an action begins the line, an item or a value.
bool has_action(std::string_view line) {
  line = trim(line);
  if (line.starts_with('#')) return false;
  const std::string_view content = without_dashes(line);
  const auto value = value_on(content);
  return is_action(line) || is_action(content) || (value && is_action(*value));
}

/// Whether any line has one, block scalars included: a fast check that excludes most texts.
bool any_line_has_action(std::string_view text) {
  const auto may_begin_action = [](const char* place) {
    return static_cast<unsigned char>((place[0] == '{') & ((place[1] == '{') | (place[1] == '%')));
  };
  std::size_t end = 0;  // of the last line checked: a line may be megabytes long
  const std::size_t found = scan(text, 0, may_begin_action, [&](std::size_t at) {
    if (at < end) return false;
    const std::size_t begin = text.rfind('\n', at) + 1;
    end = std::min(text.find('\n', at), text.size());
    return has_action(text.substr(begin, end - begin));
  });
  return found != std::string_view::npos;
}

/// Whether a block scalar begins at the end of `line`: "key: |", "- >-".
bool opens_block_scalar(std::string_view line) {
  const std::string_view value = value_on(line).value_or(line);
  return (value.starts_with('|') || value.starts_with('>')) && value.size() <= 4;
}

}  // namespace

bool has_template_actions(std::string_view text) {
  if (!any_line_has_action(text)) return false;
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t block_indent = kNone;  // of the line that started the current block scalar
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = raw.find_first_not_of(' ');
    if (indent > block_indent) continue;
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    block_indent = kNone;
    if (has_action(line)) return true;
    if (opens_block_scalar(without_dashes(line))) block_indent = indent;
  }
  return false;
}

}  // namespace cnsched::yaml
