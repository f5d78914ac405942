#include "cli/output/markdown.h"

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

/// Whether GitHub, which links URLs in plain text, could find one at this character.
bool may_start_link(std::string_view before, std::string_view rest) {
  if (rest.starts_with("://")) return true;
  constexpr std::size_t kPrefix = 3;
  return rest.starts_with('.') && before.size() >= kPrefix &&
         equals_ignoring_case(before.substr(before.size() - kPrefix), "www");
}

}  // namespace

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_[]<>|~&#$@";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = kMarkup.find(text[i]) != std::string_view::npos ||
                        may_start_link(text.substr(0, i), text.substr(i));
    if (escape) result += '\\';
    result += text[i];
  }
  return result;
}

}  // namespace cnsched::cli
