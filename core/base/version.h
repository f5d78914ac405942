#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace cnsched {

/// A release such as 1.34 or v0.15.2; missing parts are 0.
struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;

  static std::optional<Version> parse(std::string_view text);
  friend auto operator<=>(const Version&, const Version&) = default;
};

/// "0.15".
std::string to_string(const Version& version);

}  // namespace cnsched
