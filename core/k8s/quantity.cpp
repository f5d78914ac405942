#include "core/k8s/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "core/base/text.h"

namespace cnsched::k8s {

namespace {

/// A suffix multiplies by base^exponent.
struct Suffix {
  std::string_view text;
  int base;
  int exponent;
};

constexpr auto kSuffixes = std::to_array<Suffix>({
    {"n", 10, -9}, {"u", 10, -6}, {"m", 10, -3}, {"", 10, 0},   {"k", 10, 3},
    {"M", 10, 6},  {"G", 10, 9},  {"T", 10, 12}, {"P", 10, 15}, {"E", 10, 18},
    {"Ki", 2, 10}, {"Mi", 2, 20}, {"Gi", 2, 30}, {"Ti", 2, 40}, {"Pi", 2, 50}, {"Ei", 2, 60},
});

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "GB" and "gb" were meant as "G" or "Gi"; "K" as "k".
std::string suggestion(std::string_view suffix) {
  const std::string low = lower(suffix);
  if (low == "k" || low == "kb") return ", did you mean 'Ki' or 'k'?";
  for (const char unit : std::string_view("mgtpe")) {
    const std::string letter(1, static_cast<char>(unit - 'a' + 'A'));
    if (low == std::string(1, unit) || low == std::string(1, unit) + "b" ||
        low == std::string(1, unit) + "i" || low == std::string(1, unit) + "ib") {
      return fmt::format(", did you mean '{0}i' or '{0}'?", letter);
    }
  }
  if (low == "kib" || low == "ki") return ", did you mean 'Ki'?";
  return "";
}

std::optional<Suffix> exponent_suffix(std::string_view text) {
  if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return std::nullopt;
  std::string_view digits = text.substr(1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  constexpr int kFarOut = 1000;  // more than any digits can make up for
  if (error == std::errc::result_out_of_range) exponent = digits.front() == '-' ? -kFarOut : kFarOut;
  return Suffix{text, 10, std::clamp(exponent, -kFarOut, kFarOut)};
}

std::optional<Suffix> suffix_of(std::string_view text) {
  const auto* known = std::ranges::find(kSuffixes, text, &Suffix::text);
  if (known != kSuffixes.end()) return *known;
  return exponent_suffix(text);
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  const auto failed = [&](std::string_view why) {
    return Error{fmt::format("'{}' {}", printable(text), why)};
  };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const auto* number_end = std::ranges::find_if_not(rest, [](char c) { return is_digit(c) || c == '.'; });
  const auto length = static_cast<std::size_t>(number_end - rest.begin());
  const std::string_view number = rest.substr(0, length);
  const std::string_view suffix_text = rest.substr(length);
  const std::size_t dot = number.find('.');
  const bool has_digit = std::ranges::any_of(number, is_digit);
  if (text.empty()) return failed("is empty, and no quantity");
  if (!has_digit) return failed("is no quantity: it does not begin with a number");
  if (dot != std::string_view::npos && number.find('.', dot + 1) != std::string_view::npos) {
    return failed("is no quantity: it holds two dots");
  }
  const auto suffix = suffix_of(suffix_text);
  if (!suffix) {
    return failed(fmt::format("has unknown suffix '{}'{}", printable(suffix_text),
                              suggestion(suffix_text)));
  }

  // value = digits * 10^ten * 2^two, in units of 10^-9.
  constexpr Nano kCap = static_cast<Nano>(INT64_MAX) * 1'000'000'000;
  constexpr Nano kRoom = kCap * 10'000'000'000;  // what a step may reach on the way
  Nano value = 0;
  bool lost = false;  // a non-zero digit was cut off: round up
  int ten = 9 + (suffix->base == 10 ? suffix->exponent : 0);
  const int two = suffix->base == 2 ? suffix->exponent : 0;
  bool capped = false;
  const auto times = [&](int factor, int digit) {
    if (value > (kRoom - digit) / factor) capped = true;
    if (!capped) value = value * factor + digit;
  };
  // Whole digits, then decimals; each decimal takes one power of ten back.
  for (const char c : number.substr(0, dot)) times(10, c - '0');
  if (dot != std::string_view::npos) {
    constexpr Nano kPrecise = 1'000'000'000'000'000'000;  // times 2^60 still fits
    for (const char c : number.substr(dot + 1)) {
      if (value < kPrecise) {
        times(10, c - '0');
        --ten;
      } else if (c != '0') {
        lost = true;
      }
    }
  }
  if (value == 0 && !lost) return Quantity();
  for (int i = 0; i < two; ++i) times(2, 0);
  for (; ten > 0 && !capped; --ten) times(10, 0);
  for (; ten < 0 && value != 0 && !capped; ++ten) {
    lost = lost || value % 10 != 0;
    value /= 10;
  }
  if (lost) ++value;
  if (capped || value > kCap) value = kCap;
  Quantity quantity;
  quantity.nano_ = negative ? -value : value;
  return quantity;
}

bool Quantity::is_integer() const { return nano_ % 1'000'000'000 == 0; }

}  // namespace cnsched::k8s
