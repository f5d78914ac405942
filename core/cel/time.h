#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/cel/value.h"

namespace cnsched::cel {

/// Reads RFC 3339, as Go's time.Parse does.
std::optional<Timestamp> parse_timestamp(std::string_view text);
/// With as many decimals as needed.
std::string to_text(const Timestamp& time);
/// Whether it is in CEL's range: years 1 to 9999.
bool is_in_range(const Timestamp& time);

/// Reads "1h30m", "-1.5s", as Go's time.ParseDuration does.
std::optional<Duration> parse_duration(std::string_view text);
/// In seconds: "5400s".
std::string to_text(const Duration& duration);

/// `time + nanos`, if that is in range.
std::optional<Timestamp> shifted(const Timestamp& time, Duration by);
/// `a - b`, if a duration can hold it.
std::optional<Duration> between(const Timestamp& a, const Timestamp& b);

}  // namespace cnsched::cel
