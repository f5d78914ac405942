#include "core/yaml/template_text.h"

#include <algorithm>
#include <optional>

#include "core/base/text.h"

namespace cnsched::yaml {

namespace {

bool is_action(std::string_view text) { return text.starts_with("{{") || text.starts_with("{%"); }

/// Past "- - ", to what the item holds.
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

/// Whether a block scalar begins at the end of `line`: "key: |", "- >-".
bool opens_block_scalar(std::string_view line) {
  const std::string_view value = value_on(line).value_or(line);
  return (value.starts_with('|') || value.starts_with('>')) && value.size() <= 4;
}

}  // namespace

bool has_template_actions(std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t block_indent = kNone;  // of the line that opened the block scalar we are in
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = raw.find_first_not_of(' ');
    if (indent > block_indent) continue;
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    block_indent = kNone;
    if (is_action(line)) return true;
    const std::string_view content = without_dashes(line);
    if (is_action(content)) return true;
    const auto value = value_on(content);
    if (value && is_action(*value)) return true;
    if (opens_block_scalar(content)) block_indent = indent;
  }
  return false;
}

}  // namespace cnsched::yaml
