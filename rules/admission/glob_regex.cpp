#include "rules/admission/glob_regex.h"

#include <fmt/format.h>

#include <algorithm>

namespace cnsched::rules {

namespace {

std::string literal_of_pattern(char c) {
  const bool is_special = std::string_view(R"(\.+*?()|[]{}^$)").find(c) != std::string_view::npos;
  return is_special ? std::string{'\\', c} : std::string(1, c);
}

/// "a-f" in a set, without '/'.
std::string range_in_set(char low, char high) {
  const auto shown = [](int from, int to) {
    return from > to ? std::string() : fmt::format("\\x{:02x}-\\x{:02x}", from, to);
  };
  if (low <= '/' && '/' <= high) return shown(low, '/' - 1) + shown('/' + 1, high);
  return shown(low, high);
}

/// The set `inner`, without its brackets, as a regular expression.
std::string regex_of_set(std::string_view inner) {
  const bool is_negated = inner.starts_with('!') || inner.starts_with('^');
  if (is_negated) inner.remove_prefix(1);
  std::string ranges;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '\\' && i + 1 < inner.size()) ++i;
    const char low = inner[i];
    const bool is_range = i + 2 < inner.size() && inner[i + 1] == '-';
    ranges += range_in_set(low, is_range ? inner[i + 2] : low);
    if (is_range) i += 2;
  }
  if (is_negated) return fmt::format("[^/{}]", ranges);
  return ranges.empty() ? "[^\\x{0}-\\x{10FFFF}]" : fmt::format("[{}]", ranges);
}

/// Where the set that opens at `open` ends; npos if it does not.
std::size_t end_of_set(std::string_view glob, std::size_t open) {
  std::size_t end = open + 1;
  if (end < glob.size() && (glob[end] == '!' || glob[end] == '^')) ++end;
  if (end < glob.size() && glob[end] == ']') ++end;
  while (end < glob.size() && glob[end] != ']') end += glob[end] == '\\' ? 2 : 1;
  return end < glob.size() ? end : std::string_view::npos;
}

}  // namespace

std::optional<std::string> regex_of_glob(std::string_view glob) {
  const bool has_others =
      glob.find("**") != std::string_view::npos ||
      std::ranges::any_of(glob, [](char c) { return static_cast<unsigned char>(c) > '~'; });
  if (has_others) return std::nullopt;
  std::string regex;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    if (glob[i] == '*') {
      regex += "[^/]*";
    } else if (glob[i] == '?') {
      regex += "[^/]";
    } else if (glob[i] == '[' && end_of_set(glob, i) != std::string_view::npos) {
      const std::size_t end = end_of_set(glob, i);
      regex += regex_of_set(glob.substr(i + 1, end - i - 1));
      i = end;
    } else {
      if (glob[i] == '\\' && i + 1 < glob.size()) ++i;
      regex += literal_of_pattern(glob[i]);
    }
  }
  return regex;
}

}  // namespace cnsched::rules
