#include "core/yaml/layout.h"

#include <algorithm>

#include "core/yaml/extent.h"

namespace cnsched::yaml {

namespace {

bool is_bracket(char c) { return c == '{' || c == '['; }

bool is_property(char c) { return c == '&' || c == '!'; }

}  // namespace

Layout::Layout(const SourceFile& file, const Document& document)
    : text(document.text(file)), document_(document), base_(document.span.begin) {
  const std::size_t newline = file.bytes().find('\n');
  const bool crlf =
      newline != std::string_view::npos && newline > 0 && file.bytes()[newline - 1] == '\r';
  line_break_ = crlf ? "\r\n" : "\n";
}

Span Layout::span(TextRange range) const {
  return {document_.span.file, static_cast<std::uint32_t>(base_ + range.begin),
          static_cast<std::uint32_t>(base_ + range.end)};
}

std::size_t Layout::column(std::size_t at) const { return at - line_begin(at); }

std::size_t Layout::end(const Node& node) const {
  const std::size_t end = node.span.end - base_;
  if (is_empty(node)) return end_of_properties(end);
  if (!is_block(node)) return keeps_blank_lines(node) ? end_of_blank_lines(end) : end;
  return std::max(end, this->end(*children(node).back()));
}

bool Layout::is_block_scalar(const Node& node) const {
  if (!node.is_scalar() || !node.quoted || node.anchored() != nullptr) return false;
  const char first = text[begin(node)];
  return first == '|' || first == '>';
}

bool Layout::keeps_blank_lines(const Node& node) const {
  if (is_block(node)) return keeps_blank_lines(*children(node).back());
  return is_block_scalar(node) && text.substr(begin(node), 3).find('+') != std::string_view::npos;
}

std::size_t Layout::end_of_blank_lines(std::size_t at) const {
  std::size_t end = at;
  for (std::size_t line = next_line(at); is_blank_line(line); line = next_line(line)) {
    end = line_end(line);
  }
  return end;
}

std::vector<const Node*> Layout::children(const Node& collection) {
  std::vector<const Node*> children(collection.items().begin(), collection.items().end());
  for (const Entry& entry : collection.entries()) {
    if (!entry.merged) children.push_back(entry.value);
  }
  return children;
}

bool Layout::merges(const Node& collection) {
  return std::ranges::any_of(collection.entries(), &Entry::merged);
}

bool Layout::has_brackets(const Node& collection) const {
  const bool is_collection = collection.is_mapping() || collection.is_sequence();
  return is_collection && collection.anchored() == nullptr && begin(collection) < text.size() &&
         is_bracket(text[begin(collection)]);
}

bool Layout::in_flow(const Node& node) const {
  for (const Node* at = &node; at != nullptr; at = at->parent()) {
    if (has_brackets(*at)) return true;
  }
  return false;
}

bool Layout::is_block(const Node& node) const {
  return (node.is_mapping() || node.is_sequence()) && node.anchored() == nullptr &&
         !children(node).empty() && !in_flow(node);
}

bool Layout::is_empty(const Node& node) const {
  return node.is_null() && node.anchored() == nullptr && node.span.begin == node.span.end;
}

std::size_t Layout::begin_of_entry(const Node& child) const {
  return in_flow(*child.parent()) ? begin_in_brackets(child) : begin_of_line_of_entry(child);
}

/// A key or a dash begins its line, unless it is the first of a collection after another dash. A
/// value may be lines below its dash, and a key below its '?'.
std::size_t Layout::begin_of_line_of_entry(const Node& child) const {
  const Node& collection = *child.parent();
  const std::size_t first = begin(collection);
  const std::size_t column = this->column(first);
  std::size_t line = line_begin(begin(child.key() != nullptr ? *child.key() : child));
  while (line > first) {
    const std::size_t at = skip_spaces(line);
    const bool dash = at < text.size() && text[at] == '-';
    if (at - line == column && (collection.is_mapping() || dash)) return at;
    line = line_begin(line - 1);
  }
  return first;
}

std::size_t Layout::begin_in_brackets(const Node& child) const {
  const Node& collection = *child.parent();
  const std::vector<const Node*> all = children(collection);
  const auto place = std::ranges::find(all, &child);
  if (place == all.begin() || place == all.end()) {
    return skip_blank(text, begin(collection) + (has_brackets(collection) ? 1 : 0));
  }
  const auto sign = comma(**(place - 1));
  return skip_blank(text, sign ? *sign + 1 : end(**(place - 1)));
}

std::optional<std::size_t> Layout::introducer(const Node& child) const {
  if (child.parent() == nullptr) return std::nullopt;
  if (child.key() == nullptr) {
    if (in_flow(*child.parent())) return std::nullopt;
    return begin_of_entry(child) + 1;
  }
  const std::size_t colon = skip_blank(text, child.key()->span.end - base_);
  if (colon >= text.size() || text[colon] != ':') return std::nullopt;
  return colon + 1;
}

std::size_t Layout::begin_with_properties(const Node& child) const {
  if (is_empty(child)) return begin(child);
  std::size_t from = 0;
  if (const auto sign = introducer(child)) {
    from = *sign;
  } else if (child.parent() != nullptr) {
    from = begin_of_entry(child);
  } else {
    return begin(child);
  }
  const std::size_t at = skip_blank(text, from);
  return at < begin(child) && is_property(text[at]) ? at : begin(child);
}

std::size_t Layout::end_of_properties(std::size_t at) const {
  std::size_t end = at;
  for (at = skip_spaces(at); at < text.size() && is_property(text[at]); at = skip_spaces(end)) {
    end = std::min(text.find_first_of(" \t\r\n,]}", at), text.size());
  }
  return end;
}

std::optional<std::size_t> Layout::comma(const Node& child) const {
  const std::size_t at = skip_blank(text, end(child));
  if (at >= text.size() || text[at] != ',') return std::nullopt;
  return at;
}

bool Layout::begins_line(std::size_t at) const { return skip_spaces(line_begin(at)) == at; }

std::size_t Layout::line_begin(std::size_t at) const { return at - column_of(text, at); }

std::size_t Layout::line_end(std::size_t at) const { return end_of_line(text, at); }

std::size_t Layout::next_line(std::size_t at) const {
  const std::size_t newline = text.find('\n', at);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

bool Layout::is_blank_line(std::size_t line) const {
  return line < text.size() && skip_spaces(line) == line_end(line);
}

std::size_t Layout::skip_blank_lines(std::size_t line) const {
  while (is_blank_line(line)) line = next_line(line);
  return line;
}

std::size_t Layout::skip_spaces(std::size_t at) const {
  return std::min(text.find_first_not_of(" \t", at), text.size());
}

std::optional<std::size_t> Layout::comment_on_line(std::size_t line) const {
  const std::size_t at = skip_spaces(line);
  if (at >= text.size() || text[at] != '#') return std::nullopt;
  const auto place =
      std::ranges::lower_bound(document_.comments, at + base_, {},
                               [](const Comment& comment) { return comment.span.begin; });
  if (place == document_.comments.end() || place->span.begin != at + base_) return std::nullopt;
  return at;
}

bool Layout::has_comment_within(TextRange range) const {
  return std::ranges::any_of(document_.comments, [&](const Comment& comment) {
    return comment.span.begin >= base_ + range.begin && comment.span.begin < base_ + range.end;
  });
}

std::size_t Layout::begin_of_comments_above(std::size_t at) const {
  const std::size_t column = this->column(at);
  std::size_t line = line_begin(at);
  while (line > 0) {
    const std::size_t above = line_begin(line - 1);
    const auto comment = comment_on_line(above);
    if (!comment || *comment - above != column) break;
    line = above;
  }
  return line;
}

std::size_t Layout::end_of_deeper_comments(std::size_t line, std::size_t column) const {
  std::size_t end = line;
  for (std::size_t at = skip_blank_lines(line); at < text.size();
       at = skip_blank_lines(next_line(at))) {
    const auto comment = comment_on_line(at);
    if (!comment || *comment - at <= column) break;
    end = next_line(at);
  }
  return end;
}

TextRange Layout::lines_of(const Node& first, const Node& last) const {
  const Node& collection = *first.parent();
  const std::size_t begin = begin_of_entry(first);
  const std::size_t end =
      end_of_deeper_comments(next_line(this->end(last)), column(this->begin(collection)));
  if (!begins_line(begin)) return {begin, end};
  const bool starts_document = collection.parent() == nullptr && begin == this->begin(collection);
  return {starts_document ? line_begin(begin) : begin_of_comments_above(begin), end};
}

std::size_t Layout::usual_indent(Node::Kind kind) const {
  std::optional<std::size_t> found;
  walk(*document_.root, [&](const Node& node) {
    if (found || node.key() == nullptr || node.kind != kind || !is_block(node)) return;
    const std::size_t outer = column(begin(*node.parent()));
    const std::size_t inner = column(begin(node));
    if (begins_line(begin(node)) && inner >= outer) found = inner - outer;
  });
  return found.value_or(kind == Node::Kind::sequence ? 0 : kIndent);
}

}  // namespace cnsched::yaml
