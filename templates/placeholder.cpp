#include "templates/placeholder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::templates {

namespace {

constexpr std::string_view kOpen = "${{";
constexpr std::string_view kClose = "}}";

/// camelCase words, joined by dots.
bool is_name(std::string_view name) {
  const auto is_part_of_name = [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
  };
  return !name.empty() && std::ranges::all_of(name, is_part_of_name);
}

void add_literal(std::vector<Piece>& pieces, std::string_view text) {
  if (text.empty()) return;
  if (pieces.empty() || pieces.back().is_parameter) pieces.push_back({});
  pieces.back().text += text;
}

}  // namespace

bool has_placeholders(std::string_view text) { return text.find(kOpen) != std::string_view::npos; }

Result<std::vector<Piece>> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (;;) {
    const std::size_t open = text.find(kOpen);
    if (open == std::string_view::npos) break;
    const bool escaped = open > 0 && text[open - 1] == '$';
    add_literal(pieces, text.substr(0, escaped ? open - 1 : open));
    text.remove_prefix(open + kOpen.size());
    if (escaped) {
      add_literal(pieces, kOpen);
      continue;
    }
    const std::size_t close = text.find(kClose);
    if (close == std::string_view::npos) {
      return Error{"'${{' is not closed by '}}'; write '$${{' if it is meant literally"};
    }
    const std::string_view name = trim(text.substr(0, close));
    if (!is_name(name)) {
      return Error{fmt::format("'${{{{{}}}}}' names no parameter: write '${{{{ name }}}}'",
                               printable(text.substr(0, close)))};
    }
    pieces.push_back({std::string(name), true});
    text.remove_prefix(close + kClose.size());
  }
  add_literal(pieces, text);
  return pieces;
}

}  // namespace cnsched::templates
