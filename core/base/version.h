#pragma once

#include <compare>
#include <limits>
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

/// The development branch of a project, after all its releases.
inline constexpr Version kHeadRelease{std::numeric_limits<int>::max()};

/// Whether the release has what came with `since`. Nothing: the newest release, which is before
/// kHeadRelease.
inline bool is_at_least(const std::optional<Version>& release, const Version& since) {
  return release ? *release >= since : since < kHeadRelease;
}

/// "0.15"; "head".
std::string to_string(const Version& version);

}  // namespace cnsched
