#include "core/base/version.h"

#include <fmt/format.h>

#include <array>

#include "core/base/text.h"

namespace cnsched {

std::optional<Version> Version::parse(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::array<int, 3> numbers{};
  const auto parts = split(text, '.');
  if (parts.size() > numbers.size()) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = whole_number<int>(parts[i]);
    if (!number || *number < 0) return std::nullopt;
    numbers[i] = *number;
  }
  return Version{numbers[0], numbers[1], numbers[2]};
}

std::string to_string(const Version& version) {
  if (version == kHeadRelease) return "head";
  return fmt::format("{}.{}", version.major, version.minor);
}

}  // namespace cnsched
