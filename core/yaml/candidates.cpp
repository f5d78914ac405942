#include "core/yaml/candidates.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/scalar.h"
#include "core/yaml/write.h"

namespace cnsched::yaml {

namespace {

/// kubectl reads a document that begins with a brace as JSON.
bool is_json(const Layout& layout) { return trim(layout.text).starts_with('{'); }

bool is_quoted(const Layout& layout, const Node& scalar) {
  return scalar.is_scalar() && layout.begin(scalar) < layout.text.size() &&
         layout.text[layout.begin(scalar)] == '"';
}

/// Whether strings in the collection, or around it, have double quotes that they do not need.
bool quotes_all(const Layout& layout, const Node* collection) {
  for (; collection != nullptr && layout.in_flow(*collection); collection = collection->parent()) {
    for (const Entry& entry : collection->entries()) {
      if (!entry.merged) return is_quoted(layout, *entry.key);
    }
    for (const Node* item : collection->items()) {
      if (item->is_string()) return is_quoted(layout, *item);
    }
  }
  return is_json(layout);
}

/// Whether the siblings of the node are on their own lines.
bool is_on_lines(const Layout& layout, const Node& node) {
  const Node* collection = layout.has_brackets(node) ? &node : node.parent();
  if (collection == nullptr || Layout::children(*collection).empty()) collection = node.parent();
  if (collection == nullptr) return true;
  const auto children = Layout::children(*collection);
  return children.empty() || layout.begins_line(layout.begin_of_entry(*children.front()));
}

}  // namespace

Candidates combined(const std::vector<Candidates>& of_each) {
  std::size_t count = 1;
  for (const Candidates& candidates : of_each) {
    if (candidates.empty()) return {};
    count = std::max(count, candidates.size());
  }
  Candidates all(count);
  for (const Candidates& candidates : of_each) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<Edit>& edits = candidates[std::min(i, candidates.size() - 1)];
      all[i].insert(all[i].end(), edits.begin(), edits.end());
    }
  }
  return all;
}

Edit replace(const Layout& layout, TextRange range, std::string text) {
  return {layout.span(range), std::move(text)};
}

Edit insert(const Layout& layout, std::size_t at, std::string text) {
  return replace(layout, {at, at}, std::move(text));
}

std::string flow_text(const Layout& layout, const Node& node, const Node& value) {
  const bool json = is_json(layout);
  if (json && !value.is_empty() && !value.is_scalar() && is_on_lines(layout, node)) {
    const std::string_view line = layout.text.substr(layout.line_begin(layout.begin(node)));
    const std::string_view blanks = line.substr(0, line.find_first_not_of(" \t"));
    return in_line_breaks(to_json(value), fmt::format("{}{}", layout.line_break(), blanks));
  }
  if (json && value.is_string()) return quoted_for_json(value.text());
  const Node* around = layout.has_brackets(node) ? &node : node.parent();
  return to_flow(value, json || quotes_all(layout, around));
}

std::string flow_key(const Layout& layout, const Node& mapping, std::string_view key) {
  if (is_json(layout)) return quoted_for_json(key);
  return quoted_for_flow(key, quotes_all(layout, &mapping));
}

std::string block_lines(const Node& value, std::size_t indent, std::string_view line_break) {
  const std::string lines = without_last_break(to_yaml(value));
  const std::string blanks(indent, ' ');
  std::string indented;
  for (const std::string_view line : split(lines, '\n')) {
    if (!line.empty()) indented += blanks;
    indented += line;
    indented += '\n';
  }
  return in_line_breaks(indented, line_break);
}

std::string without_last_break(std::string lines) {
  if (lines.ends_with('\n')) lines.pop_back();
  if (lines.ends_with('\r')) lines.pop_back();
  return lines;
}

std::string in_line_breaks(std::string_view lines, std::string_view line_break) {
  std::string result;
  for (const char c : lines) {
    if (c == '\n') {
      result += line_break;
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace cnsched::yaml
