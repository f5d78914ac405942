#include "core/base/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/base/text.h"

namespace cnsched {

namespace {

/// A suffix multiplies by base^exponent.
struct Suffix {
  std::string_view text;
  int base;
  int exponent;
  bool is_scientific = false;  ///< "e3"
};

constexpr auto kSuffixes = std::to_array<Suffix>({
    {"n", 10, -9},
    {"u", 10, -6},
    {"m", 10, -3},
    {"", 10, 0},
    {"k", 10, 3},
    {"M", 10, 6},
    {"G", 10, 9},
    {"T", 10, 12},
    {"P", 10, 15},
    {"E", 10, 18},
    {"Ki", 2, 10},
    {"Mi", 2, 20},
    {"Gi", 2, 30},
    {"Ti", 2, 40},
    {"Pi", 2, 50},
    {"Ei", 2, 60},
});

/// Suggests "G" or "Gi" for "GB" and "gb", and "k" for "K".
std::string suggestion(std::string_view suffix) {
  // "64 Gi"
  const auto* known_suffix = std::ranges::find(kSuffixes, trim(suffix), &Suffix::text);
  if (known_suffix != kSuffixes.end() && !known_suffix->text.empty()) {
    return fmt::format(", did you mean '{}'?", known_suffix->text);
  }
  const std::string low = lower(trim(suffix));
  if (low == "k" || low == "kb") return ", did you mean 'Ki' or 'k'?";
  if (low == "ki" || low == "kib") return ", did you mean 'Ki'?";
  for (const std::string_view unit : {"m", "g", "t", "p", "e"}) {
    if (!low.starts_with(unit)) continue;
    const std::string_view rest = std::string_view(low).substr(unit.size());
    if (!rest.empty() && rest != "b" && rest != "i" && rest != "ib") continue;
    const char letter = static_cast<char>(unit.front() - 'a' + 'A');
    return fmt::format(", did you mean '{0}i' or '{0}'?", letter);
  }
  return "";
}

std::optional<Suffix> exponent_suffix(std::string_view text) {
  if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return std::nullopt;
  std::string_view digits = text.substr(1);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  constexpr int kMaxExponent = 1000;  // a larger one changes no result
  const int exponent = std::min(whole_number<int>(digits).value_or(kMaxExponent), kMaxExponent);
  return Suffix{text, 10, negative ? -exponent : exponent, true};
}

std::optional<Suffix> suffix_of(std::string_view text) {
  const auto* known = std::ranges::find(kSuffixes, text, &Suffix::text);
  if (known != kSuffixes.end()) return *known;
  return exponent_suffix(text);
}

/// A quantity as written.
struct Parts {
  bool negative = false;
  std::string_view whole;     ///< digits before the dot
  std::string_view decimals;  ///< digits after the dot
  Suffix suffix{};
};

Result<Parts> parts_of(std::string_view text) {
  const auto failed = [&](std::string_view why) {
    return Error{fmt::format("'{}' {}", printable(text), why)};
  };
  if (text.empty()) return failed("is empty, so it is not a quantity");
  Parts parts{.negative = text.starts_with('-')};
  std::string_view rest = text;
  if (parts.negative || rest.starts_with('+')) rest.remove_prefix(1);

  const std::size_t length = std::min(rest.find_first_not_of("0123456789."), rest.size());
  const std::string_view number = rest.substr(0, length);
  if (!std::ranges::any_of(number, is_digit)) {
    return failed("is not a quantity: it does not begin with a number");
  }
  const std::size_t dot = std::min(number.find('.'), number.size());
  parts.whole = number.substr(0, dot);
  if (dot < number.size()) parts.decimals = number.substr(dot + 1);
  if (parts.decimals.find('.') != std::string_view::npos) {
    return failed("is not a quantity: it contains two dots");
  }

  const std::string_view suffix = rest.substr(length);
  const auto known = suffix_of(suffix);
  if (!known) {
    return failed(fmt::format("has unknown suffix '{}'{}", printable(suffix), suggestion(suffix)));
  }
  parts.suffix = *known;
  return parts;
}

__extension__ using Nano = __int128;
constexpr Nano kOne = 1'000'000'000;
constexpr Nano kMilli = kOne / 1000;
constexpr Nano kCap = INT64_MAX * kOne;
constexpr Nano kMaxIntermediate = kCap * 10'000'000'000;  // of magnitude_of
constexpr Nano kExactLimit = 1'000'000'000'000'000'000;   // times 10 and 2^60 still fits

/// digits * 10^ten * 2^two in units of 10^-9, rounded up and capped.
Nano magnitude_of(const Parts& parts) {
  Nano value = 0;
  bool inexact = false;  // a nonzero digit was cut off: round up
  bool capped = false;   // exceeded kMaxIntermediate
  const auto append = [&](int digit) {
    constexpr Nano kMaxTenth = kMaxIntermediate / 10;
    static_assert(kMaxTenth * 10 == kMaxIntermediate);
    if (value > kMaxTenth || (value == kMaxTenth && digit > 0)) capped = true;
    if (!capped) value = value * 10 + digit;
  };
  const Suffix& suffix = parts.suffix;
  int ten = 9 + (suffix.base == 10 ? suffix.exponent : 0);
  const int two = suffix.base == 2 ? suffix.exponent : 0;

  for (const char c : parts.whole) append(c - '0');
  for (const char c : parts.decimals) {
    if (value < kExactLimit) {
      append(c - '0');
      --ten;
    } else if (c != '0') {
      inexact = true;
    }
  }
  if (value == 0) return 0;
  if (value > kMaxIntermediate >> two) capped = true;
  if (!capped) value <<= two;
  for (; ten > 0 && !capped; --ten) append(0);
  for (; ten < 0 && value != 0; ++ten) {
    inexact = inexact || value % 10 != 0;
    value /= 10;
  }
  return capped ? kCap : std::min(value + (inexact ? 1 : 0), kCap);
}

/// `value / size`, rounded away from zero.
Nano divide_up(Nano value, Nano size) {
  return (value + (value < 0 ? -(size - 1) : size - 1)) / size;
}

std::string decimal(Nano value) {
  const bool negative = value < 0;
  std::string digits;
  do {
    const int digit = static_cast<int>(value % 10);
    digits += static_cast<char>('0' + (negative ? -digit : digit));
    value /= 10;
  } while (value != 0);
  if (negative) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  const auto parts = parts_of(text);
  if (!parts) return parts.error();
  Quantity quantity;
  quantity.nano_ = magnitude_of(*parts);
  if (parts->negative) quantity.nano_ = -quantity.nano_;
  quantity.notation_ = parts->suffix.base == 2       ? Notation::binary
                       : parts->suffix.is_scientific ? Notation::exponent
                                                     : Notation::decimal;
  return quantity;
}

std::string Quantity::canonical() const {
  Nano value = nano_;
  const bool binary = notation_ == Notation::binary && value % kOne == 0 &&
                      (value <= -1024 * kOne || value >= 1024 * kOne);
  if (binary) value /= kOne;
  const int factor = binary ? 1024 : 1000;
  int steps = 0;
  for (; value != 0 && value % factor == 0; ++steps) value /= factor;

  const std::string number = decimal(value);
  if (value == 0) return number;
  const int exponent = binary ? 10 * steps : 3 * steps - 9;
  if (notation_ == Notation::exponent) {
    return exponent == 0 ? number : fmt::format("{}e{}", number, exponent);
  }
  const auto* suffix = std::ranges::find_if(kSuffixes, [&](const Suffix& s) {
    return s.base == (binary ? 2 : 10) && s.exponent == exponent;
  });
  return number + std::string(suffix == kSuffixes.end() ? "" : suffix->text);
}

bool Quantity::is_integer() const { return nano_ % kOne == 0; }

std::int64_t Quantity::value() const { return static_cast<std::int64_t>(divide_up(nano_, kOne)); }

std::int64_t Quantity::milli_value() const {
  const Nano milli = divide_up(nano_, kMilli);
  return static_cast<std::int64_t>(std::clamp<Nano>(milli, -INT64_MAX, INT64_MAX));
}

Quantity Quantity::rounded_to_milli() const {
  Quantity rounded = *this;
  rounded.nano_ = std::clamp<Nano>(divide_up(nano_, kMilli) * kMilli, -kCap, kCap);
  return rounded;
}

Quantity Quantity::operator-() const {
  Quantity negated = *this;
  negated.nano_ = -nano_;
  return negated;
}

bool Quantity::is_capped() const { return nano_ >= kCap || nano_ <= -kCap; }

Quantity& Quantity::operator+=(const Quantity& other) {
  nano_ = std::clamp<Nano>(nano_ + other.nano_, -kCap, kCap);
  return *this;
}

void add_to(Quantity& sum, const Quantity& quantity) {
  if (sum.is_zero()) {
    sum = quantity;
  } else {
    sum += quantity;
  }
}

}  // namespace cnsched
