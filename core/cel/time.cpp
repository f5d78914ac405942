#include "core/cel/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>

#include "core/base/text.h"
#include "core/cel/functions.h"

namespace cnsched::cel {

namespace {

constexpr std::int64_t kSecondsPerMinute = 60;
constexpr std::int64_t kSecondsPerHour = 3600;
constexpr std::int64_t kSecondsPerDay = 86400;
constexpr std::int64_t kNanosPerMilli = 1'000'000;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z

/// Reads a number of exactly `length` digits and removes it from the text.
std::optional<int> take_digits(std::string_view& text, std::size_t length) {
  const std::string_view digits = text.substr(0, length);
  if (digits.size() < length || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  text.remove_prefix(length);
  return whole_number<int>(digits);
}

bool take_char(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

/// Reads fields of two digits, each at most its limit, with the separator between them.
template <std::size_t kCount>
std::optional<std::array<int, kCount>> take_fields(std::string_view& text, char separator,
                                                   const std::array<int, kCount>& limits) {
  std::array<int, kCount> fields{};
  for (std::size_t i = 0; i < kCount; ++i) {
    if (i > 0 && !take_char(text, separator)) return std::nullopt;
    const auto field = take_digits(text, 2);
    if (!field || *field > limits[i]) return std::nullopt;
    fields[i] = *field;
  }
  return fields;
}

/// Reads the decimals of a second; further ones are cut off.
std::optional<std::int32_t> take_fraction(std::string_view& text) {
  if (!take_char(text, '.')) return 0;
  const std::size_t length = std::min(text.find_first_not_of("0123456789"), text.size());
  if (length == 0) return std::nullopt;
  constexpr std::size_t kDigits = 9;
  std::string digits(text.substr(0, std::min(length, kDigits)));
  digits.resize(kDigits, '0');
  text.remove_prefix(length);
  return whole_number<std::int32_t>(digits);
}

/// Reads "Z" or "+01:00": the seconds east of UTC.
std::optional<std::int32_t> take_offset(std::string_view& text) {
  if (take_char(text, 'Z')) return 0;
  const bool west = text.starts_with('-');
  if (!west && !text.starts_with('+')) return std::nullopt;
  text.remove_prefix(1);
  const auto fields = take_fields<2>(text, ':', {24, 60});
  if (!fields) return std::nullopt;
  const auto offset = static_cast<std::int32_t>(fields->at(0) * kSecondsPerHour +
                                                fields->at(1) * kSecondsPerMinute);
  return west ? -offset : offset;
}

/// "Z" or "+01:00".
std::string zone_text(std::int32_t offset) {
  if (offset == 0) return "Z";
  const std::int64_t size = std::abs(offset);
  return fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', size / kSecondsPerHour,
                     size / kSecondsPerMinute % kSecondsPerMinute);
}

struct DurationUnit {
  std::string_view name;
  std::uint64_t nanos;
};
constexpr auto kDurationUnits = std::to_array<DurationUnit>({
    {"ns", 1},
    {"us", 1'000},
    {"\u00b5s", 1'000},  // micro sign
    {"\u03bcs", 1'000},  // Greek letter mu
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
});
constexpr std::uint64_t kDurationLimit = std::uint64_t{1} << 63U;

/// Reads one part such as "1.5h". Nothing if it is invalid or too large.
/// Source: Go, time/format.go, ParseDuration.
std::optional<std::uint64_t> take_duration_part(std::string_view& text) {
  const std::size_t whole_length = std::min(text.find_first_not_of("0123456789"), text.size());
  std::uint64_t value = 0;
  if (whole_length > 0) value = take_number<std::uint64_t>(text).value_or(kDurationLimit + 1);
  if (value > kDurationLimit) return std::nullopt;

  std::uint64_t fraction = 0;
  double scale = 1;
  bool has_decimals = false;
  if (take_char(text, '.')) {
    constexpr std::uint64_t kMost = (kDurationLimit - 1) / 10;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
      has_decimals = true;
      if (fraction > kMost) continue;
      fraction = fraction * 10 + static_cast<std::uint64_t>(text.front() - '0');
      scale *= 10;
    }
  }
  if (whole_length == 0 && !has_decimals) return std::nullopt;
  const std::size_t unit_length = std::min(text.find_first_of(".0123456789"), text.size());
  const auto* unit =
      std::ranges::find(kDurationUnits, text.substr(0, unit_length), &DurationUnit::name);
  if (unit == kDurationUnits.end()) return std::nullopt;
  text.remove_prefix(unit_length);
  if (value > kDurationLimit / unit->nanos) return std::nullopt;
  value *= unit->nanos;
  if (fraction > 0) {
    value += static_cast<std::uint64_t>(static_cast<double>(fraction) *
                                        (static_cast<double>(unit->nanos) / scale));
  }
  return value > kDurationLimit ? std::nullopt : std::optional(value);
}

}  // namespace

bool is_in_range(const Timestamp& time) {
  return time.seconds >= kFirstSecond && time.seconds <= kLastSecond;
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
  constexpr std::size_t kYearDigits = 4;
  const auto year = take_digits(text, kYearDigits);
  if (!year || !take_char(text, '-')) return std::nullopt;
  const auto date = take_fields<2>(text, '-', {12, 31});
  if (!date || !take_char(text, 'T')) return std::nullopt;
  const auto time = take_fields<3>(text, ':', {23, 59, 59});
  if (!time) return std::nullopt;
  const auto nanos = take_fraction(text);
  const auto offset = take_offset(text);
  if (!nanos || !offset || !text.empty()) return std::nullopt;
  const std::chrono::year_month_day day{std::chrono::year(*year),
                                        std::chrono::month(static_cast<unsigned>(date->at(0))),
                                        std::chrono::day(static_cast<unsigned>(date->at(1)))};
  if (!day.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  const auto& [hours, minutes, seconds] = *time;
  return Timestamp{days * kSecondsPerDay + hours * kSecondsPerHour + minutes * kSecondsPerMinute +
                       seconds - *offset,
                   *nanos, *offset};
}

std::string to_text(const Timestamp& time) {
  const std::chrono::sys_seconds moment{std::chrono::seconds(time.seconds + time.offset)};
  const auto midnight = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day day(midnight);
  const auto second = (moment - midnight).count();
  std::string decimals = time.nanos == 0 ? "" : fmt::format(".{:09}", time.nanos);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                     second / kSecondsPerHour, second / kSecondsPerMinute % kSecondsPerMinute,
                     second % kSecondsPerMinute, decimals, zone_text(time.offset));
}

std::optional<Duration> parse_duration(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Duration{};
  if (text.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  while (!text.empty()) {
    const auto part = take_duration_part(text);
    if (!part || *part > kDurationLimit - sum) return std::nullopt;
    sum += *part;
  }
  if (is_negative) return Duration{static_cast<std::int64_t>(0 - sum)};
  if (sum == kDurationLimit) return std::nullopt;
  return Duration{static_cast<std::int64_t>(sum)};
}

std::string to_text(const Duration& duration) {
  const double seconds =
      static_cast<double>(duration.nanos / kNanosPerSecond) +
      static_cast<double>(duration.nanos % kNanosPerSecond) / static_cast<double>(kNanosPerSecond);
  std::array<char, 64> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), seconds,
                                          std::chars_format::fixed);
  return std::string(digits.data(), end) + "s";
}

std::optional<Timestamp> shifted(const Timestamp& time, Duration by) {
  std::int64_t nanos = time.nanos + by.nanos % kNanosPerSecond;
  std::int64_t seconds = time.seconds + by.nanos / kNanosPerSecond;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    --seconds;
  }
  seconds += nanos / kNanosPerSecond;
  const Timestamp moved{seconds, static_cast<std::int32_t>(nanos % kNanosPerSecond), time.offset};
  return is_in_range(moved) ? std::optional(moved) : std::nullopt;
}

std::optional<Duration> between(const Timestamp& a, const Timestamp& b) {
  std::int64_t nanos = 0;
  if (__builtin_mul_overflow(a.seconds - b.seconds, kNanosPerSecond, &nanos) ||
      __builtin_add_overflow(nanos, std::int64_t{a.nanos} - b.nanos, &nanos)) {
    return std::nullopt;
  }
  return Duration{nanos};
}

// Parts of timestamps and durations.

namespace {

/// Seconds east of UTC of "+01:00" or "UTC"; nothing for other names of time zones.
std::optional<std::int64_t> zone_offset(std::string_view zone) {
  if (zone.empty() || zone == "UTC") return 0;
  const bool is_west = zone.starts_with('-');
  if (is_west || zone.starts_with('+')) zone.remove_prefix(1);
  const auto fields = take_fields<2>(zone, ':', {99, 59});
  if (!fields || !zone.empty()) return std::nullopt;
  const std::int64_t seconds = fields->at(0) * kSecondsPerHour + fields->at(1) * kSecondsPerMinute;
  return is_west ? -seconds : seconds;
}

/// A timestamp in a time zone.
struct LocalTime {
  std::chrono::sys_days midnight;
  std::chrono::year_month_day day;
  std::int64_t second = 0;  ///< of the day
  std::int64_t nanos = 0;
};

using Part = std::int64_t (*)(const LocalTime&);

template <Part kPart>
Value part_of_time(Context& /*context*/, Arguments arguments) {
  if (!arguments[0].is(Kind::timestamp)) return no_such_overload();
  std::int64_t offset = 0;
  if (arguments.size() > 1) {
    const auto given = zone_offset(arguments[1].text());
    if (!given) return Value::unknown("time zones by name");
    offset = *given;
  }
  const auto& time = arguments[0].get<Timestamp>();
  const std::chrono::sys_seconds moment{std::chrono::seconds(time.seconds + offset)};
  const auto midnight = std::chrono::floor<std::chrono::days>(moment);
  return kPart({midnight, midnight, (moment - midnight).count(), time.nanos});
}

/// A whole number of units for a duration, a part for a timestamp.
template <std::int64_t kUnit, Part kPart>
Value part_or_total(Context& context, Arguments arguments) {
  if (!arguments[0].is(Kind::duration)) return part_of_time<kPart>(context, arguments);
  if (arguments.size() > 1) return no_such_overload();
  return arguments[0].get<Duration>().nanos / kUnit;
}

std::int64_t day_of_year(const LocalTime& time) {
  const std::chrono::sys_days first{time.day.year() / std::chrono::January / 1};
  return (time.midnight - first).count();
}

std::int64_t year(const LocalTime& t) { return static_cast<int>(t.day.year()); }
std::int64_t month(const LocalTime& t) { return static_cast<unsigned>(t.day.month()) - 1; }
std::int64_t date(const LocalTime& t) { return static_cast<unsigned>(t.day.day()); }
std::int64_t day_of_month(const LocalTime& t) { return date(t) - 1; }
std::int64_t day_of_week(const LocalTime& t) {
  return std::chrono::weekday(t.midnight).c_encoding();
}
std::int64_t hours(const LocalTime& t) { return t.second / kSecondsPerHour; }
std::int64_t minutes(const LocalTime& t) {
  return t.second / kSecondsPerMinute % kSecondsPerMinute;
}
std::int64_t seconds(const LocalTime& t) { return t.second % kSecondsPerMinute; }
std::int64_t milliseconds(const LocalTime& t) { return t.nanos / kNanosPerMilli; }

}  // namespace

std::span<const Function> time_functions() {
  static constexpr auto kFunctions = std::to_array<Function>({
      {"getDate", kMember, "t[s", part_of_time<date>},
      {"getDayOfMonth", kMember, "t[s", part_of_time<day_of_month>},
      {"getDayOfWeek", kMember, "t[s", part_of_time<day_of_week>},
      {"getDayOfYear", kMember, "t[s", part_of_time<day_of_year>},
      {"getFullYear", kMember, "t[s", part_of_time<year>},
      {"getMonth", kMember, "t[s", part_of_time<month>},
      {"getHours", kMember, ".[s", part_or_total<kSecondsPerHour * kNanosPerSecond, hours>},
      {"getMinutes", kMember, ".[s", part_or_total<kSecondsPerMinute * kNanosPerSecond, minutes>},
      {"getSeconds", kMember, ".[s", part_or_total<kNanosPerSecond, seconds>},
      {"getMilliseconds", kMember, ".[s", part_or_total<kNanosPerMilli, milliseconds>},
  });
  return kFunctions;
}

}  // namespace cnsched::cel
