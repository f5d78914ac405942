#include "core/yaml/extent.h"

#include <algorithm>

#include "core/base/ascii.h"
#include "core/base/text.h"

namespace cnsched::yaml {

namespace {

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

/// `at`, or the end of the text if it is npos.
std::size_t within(std::string_view text, std::size_t at) { return std::min(at, text.size()); }

bool is_tag_character(char c) {
  return is_alphanumeric(c) ||
         std::string_view("-#;/?:@&=+$_.~*'()%!").find(c) != std::string_view::npos;
}

/// The end of the anchor or tag at `at` according to yaml-cpp, which ends a tag at other
/// characters.
std::size_t end_of_property(std::string_view text, std::size_t at) {
  if (text[at] == '&') return within(text, text.find_first_of(" \t\r\n[]{},", at));
  if (text.substr(at).starts_with("!<")) {
    const std::size_t end = text.find('>', at);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  for (++at; at < text.size() && is_tag_character(text[at]);) ++at;
  return at;
}

/// The digit of a block scalar's header, such as the 2 of "|2-".
std::optional<std::size_t> indentation_indicator(std::string_view header) {
  for (const char c : header.substr(1, 2)) {
    if (c >= '1' && c <= '9') return static_cast<std::size_t>(c - '0');
  }
  return std::nullopt;
}

}  // namespace

std::size_t skip_blank(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
    } else if (text[at] == '#' && (at == 0 || is_blank(text[at - 1]))) {
      at = within(text, text.find('\n', at));
    } else {
      break;
    }
  }
  return at;
}

std::size_t skip_properties(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    at = end_of_property(text, at);
    const std::size_t next = skip_blank(text, at);
    // An empty value: the next token belongs to another node.
    if (next == text.size()) return at;
    at = next;
  }
  return at;
}

std::size_t end_of_properties_on_line(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    end = end_of_property(text, at);
    at = within(text, text.find_first_not_of(" \t", end));
  }
  return end;
}

std::optional<std::size_t> end_of_quoted(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      const bool doubled = quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
      if (!doubled) return i + 1;
      ++i;
    }
  }
  return std::nullopt;
}

std::size_t end_of_plain(std::string_view text, std::size_t begin, std::string_view value) {
  std::size_t at = begin;
  std::size_t end = begin;
  // Folding changes only blanks, so the other characters determine the end.
  for (const char c : value) {
    if (is_blank(c)) continue;
    at = within(text, text.find_first_not_of(kBlanks, at));
    if (at == text.size() || text[at] != c) break;
    end = ++at;
  }
  return end;
}

std::size_t end_of_alias(std::string_view text, std::size_t begin) {
  return within(text, text.find_first_of(" \t\r\n,[]{}", begin + 1));
}

std::size_t end_of_block_scalar(std::string_view text, std::size_t begin,
                                std::optional<std::size_t> outer) {
  std::size_t end = end_of_line(text, begin);
  std::size_t at = text.find('\n', begin);
  std::optional<std::size_t> least;  // the indentation of its lines
  if (const auto indicated = indentation_indicator(text.substr(begin, end - begin))) {
    least = outer.value_or(0) + *indicated;
  }
  while (at < text.size()) {
    const std::size_t line = at + 1;
    at = within(text, text.find('\n', line));
    const std::string_view content = trim(text.substr(line, at - line));
    if (content.empty()) continue;
    const std::size_t indent = text.find_first_not_of(' ', line) - line;
    if ((outer && indent <= *outer) || indent < least.value_or(0)) break;
    if (!least) least = indent;
    end = static_cast<std::size_t>(content.data() + content.size() - text.data());
  }
  return end;
}

std::size_t column_of(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? at : at - newline - 1;
}

std::size_t end_of_line(std::string_view text, std::size_t at) {
  const std::size_t end = within(text, text.find('\n', at));
  return end > at && text[end - 1] == '\r' ? end - 1 : end;
}

}  // namespace cnsched::yaml
