#include "core/base/ci_command.h"

#include "core/base/text.h"

namespace cnsched {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool begins_ci_command(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("::")) {
    return rest.size() > 2 && is_letter(rest[2]) && (at == 0 || is_space(text[at - 1]));
  }
  if (!rest.starts_with("##")) return false;
  std::size_t end = 2;
  while (end < rest.size() && is_letter(rest[end])) ++end;
  return end < rest.size() && rest[end] == '[';
}

bool contains_ci_command(std::string_view text) {
  for (std::size_t at = text.find_first_of(":#"); at != std::string_view::npos;
       at = text.find_first_of(":#", at + 1)) {
    if (begins_ci_command(text, at)) return true;
  }
  return false;
}

}  // namespace cnsched
