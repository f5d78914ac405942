// Parts of timestamps and durations.
#include <chrono>

#include "core/base/text.h"
#include "core/cel/library.h"

namespace cnsched::cel {

namespace {

constexpr std::int64_t kNanosPerMilli = 1'000'000;
constexpr std::int64_t kNanosPerSec = 1'000'000'000;
constexpr std::int64_t kSecsPerMinute = 60;
constexpr std::int64_t kSecsPerHour = 3600;

/// Seconds east of UTC of "+01:00" or "UTC"; nothing for other names of time zones.
std::optional<std::int64_t> zone_offset(std::string_view zone) {
  if (zone.empty() || zone == "UTC") return 0;
  const bool is_west = zone.starts_with('-');
  if (is_west || zone.starts_with('+')) zone.remove_prefix(1);
  const std::size_t colon = zone.find(':');
  constexpr std::size_t kDigits = 2;
  if (colon != kDigits || zone.size() != 2 * kDigits + 1) return std::nullopt;
  const auto hours = whole_number(zone.substr(0, kDigits));
  const auto minutes = whole_number(zone.substr(kDigits + 1));
  if (!hours || !minutes || *minutes >= kSecsPerMinute) return std::nullopt;
  const auto seconds = static_cast<std::int64_t>(*hours) * kSecsPerHour +
                       static_cast<std::int64_t>(*minutes) * kSecsPerMinute;
  return is_west ? -seconds : seconds;
}

/// A timestamp in a time zone.
struct LocalTime {
  std::chrono::sys_days midnight;
  std::chrono::year_month_day day;
  std::int64_t second = 0;  ///< of the day
  std::int64_t nanos = 0;
};

template <typename Part>
Value part_of_time(Arguments arguments, Part part) {
  if (!arguments[0].is(Kind::timestamp)) return no_such_overload();
  std::int64_t offset = 0;
  if (arguments.size() > 1) {
    if (!arguments[1].is(Kind::string)) return no_such_overload();
    const auto given = zone_offset(arguments[1].text());
    if (!given) return Value::unknown("time zones by name");
    offset = *given;
  }
  const auto& time = arguments[0].get<Timestamp>();
  const std::chrono::sys_seconds moment{std::chrono::seconds(time.seconds + offset)};
  const auto midnight = std::chrono::floor<std::chrono::days>(moment);
  const std::int64_t value =
      part(LocalTime{midnight, midnight, (moment - midnight).count(), time.nanos});
  return value;
}

/// A whole number of units for a duration, a part for a timestamp.
template <typename Part>
Value part_or_total(Arguments arguments, std::int64_t unit, Part part) {
  if (!arguments[0].is(Kind::duration)) return part_of_time(arguments, part);
  if (arguments.size() > 1) return no_such_overload();
  return arguments[0].get<Duration>().nanos / unit;
}

std::int64_t day_of_month(const LocalTime& time) { return static_cast<unsigned>(time.day.day()); }

}  // namespace

Value get_full_year(Context& /*context*/, Arguments arguments) {
  return part_of_time(arguments, [](const LocalTime& t) { return static_cast<int>(t.day.year()); });
}

Value get_month(Context& /*context*/, Arguments arguments) {
  return part_of_time(arguments,
                      [](const LocalTime& t) { return static_cast<unsigned>(t.day.month()) - 1; });
}

Value get_date(Context& /*context*/, Arguments arguments) {
  return part_of_time(arguments, day_of_month);
}

Value get_day_of_month(Context& /*context*/, Arguments arguments) {
  return part_of_time(arguments, [](const LocalTime& t) { return day_of_month(t) - 1; });
}

Value get_day_of_week(Context& /*context*/, Arguments arguments) {
  return part_of_time(
      arguments, [](const LocalTime& t) { return std::chrono::weekday(t.midnight).c_encoding(); });
}

Value get_day_of_year(Context& /*context*/, Arguments arguments) {
  return part_of_time(arguments, [](const LocalTime& t) {
    const std::chrono::sys_days first{t.day.year() / std::chrono::January / 1};
    return (t.midnight - first).count();
  });
}

Value get_hours(Context& /*context*/, Arguments arguments) {
  return part_or_total(arguments, kSecsPerHour * kNanosPerSec,
                       [](const LocalTime& t) { return t.second / kSecsPerHour; });
}

Value get_minutes(Context& /*context*/, Arguments arguments) {
  return part_or_total(arguments, kSecsPerMinute * kNanosPerSec, [](const LocalTime& t) {
    return t.second / kSecsPerMinute % kSecsPerMinute;
  });
}

Value get_seconds(Context& /*context*/, Arguments arguments) {
  return part_or_total(arguments, kNanosPerSec,
                       [](const LocalTime& t) { return t.second % kSecsPerMinute; });
}

Value get_milliseconds(Context& /*context*/, Arguments arguments) {
  return part_or_total(arguments, kNanosPerMilli,
                       [](const LocalTime& t) { return t.nanos / kNanosPerMilli; });
}

}  // namespace cnsched::cel
