#include "core/cel/amount.h"

#include <algorithm>
#include <string>

#include "core/base/text.h"

namespace cnsched::cel {

namespace {

using Stored = Amount::Stored;

std::optional<std::int64_t> scaled(std::int64_t value, int scale) {
  for (; scale > 0 && value != 0; --scale) {
    if (__builtin_mul_overflow(value, 10, &value)) return std::nullopt;
  }
  return value;
}

std::optional<Stored> sum(const Stored& a, const Stored& b) {
  if (b.value == 0) return a;
  if (a.value == 0) return b;
  const int scale = std::min(a.scale, b.scale);
  const auto left = scaled(a.value, a.scale - scale);
  const auto right = scaled(b.value, b.scale - scale);
  std::int64_t value = 0;
  if (!left || !right || __builtin_add_overflow(*left, *right, &value)) return std::nullopt;
  return Stored{value, scale};
}

/// The exponent of a decimal suffix or of "e3".
std::optional<int> decimal_exponent(std::string_view suffix) {
  constexpr std::string_view kSuffixes = "num kMGTPE";  // from -9 in steps of 3
  if (suffix.empty()) return 0;
  if (suffix.size() == 1 && suffix != " ") {
    return static_cast<int>(kSuffixes.find(suffix.front())) * 3 - 9;
  }
  if (suffix.front() != 'e' && suffix.front() != 'E') return std::nullopt;
  suffix.remove_prefix(suffix[1] == '+' ? 2 : 1);
  return whole_number<int>(suffix);
}

/// As ParseQuantity's fast path, which reads what has few digits. `text` is a valid quantity.
std::optional<Stored> stored_number(std::string_view text) {
  constexpr int kMaxDigits = 18;
  constexpr int kMaxBinaryDigits = 15;
  constexpr int kSmallestScale = -9;
  constexpr std::string_view kBinarySuffixes = "KMGTPE";
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));

  std::string digits;
  int decimals = -1;  // none
  for (; !text.empty() && (is_digit(text.front()) || text.front() == '.'); text.remove_prefix(1)) {
    if (is_digit(text.front())) digits += text.front();
    if (decimals >= 0 || text.front() == '.') ++decimals;
  }
  decimals = std::max(decimals, 0);
  if (static_cast<int>(digits.size()) == decimals) digits.insert(0, "0");
  const auto length = static_cast<int>(digits.size());
  if (length > kMaxDigits) return std::nullopt;

  Stored stored;
  stored.value = whole_number<std::int64_t>(digits).value_or(0);
  if (is_negative) stored.value = -stored.value;
  if (text.size() == 2 && text.back() == 'i') {
    constexpr int kBits = 10;
    const int exponent = (static_cast<int>(kBinarySuffixes.find(text.front())) + 1) * kBits;
    const int precision = kMaxBinaryDigits - length - exponent * 3 / kBits - 1;
    if (decimals > 0 || precision < 0) return std::nullopt;
    const auto factor = std::int64_t{1} << static_cast<unsigned>(exponent);
    if (__builtin_mul_overflow(stored.value, factor, &stored.value)) return std::nullopt;
    return stored;
  }
  const auto exponent = decimal_exponent(text);
  if (!exponent) return std::nullopt;
  stored.scale = *exponent - decimals;
  return stored.scale < kSmallestScale ? std::nullopt : std::optional(stored);
}

}  // namespace

Result<Amount> Amount::parse(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  if (!quantity) return quantity.error();
  return Amount{*quantity, stored_number(text)};
}

Amount Amount::of(std::int64_t value) {
  return {*Quantity::parse(std::to_string(value)), Stored{value, 0}};
}

std::optional<Amount> Amount::plus(const Amount& other) const {
  Amount result = *this;
  result.quantity += other.quantity;
  if (result.quantity.is_capped()) return std::nullopt;
  result.stored = stored && other.stored ? sum(*stored, *other.stored) : std::nullopt;
  return result;
}

Amount Amount::negated() const {
  Amount result = *this;
  result.quantity = -result.quantity;
  if (result.stored && result.stored->value == INT64_MIN) result.stored.reset();
  if (result.stored) result.stored->value = -result.stored->value;
  return result;
}

std::optional<std::int64_t> Amount::integer() const {
  if (!stored || stored->scale < 0) return std::nullopt;
  return scaled(stored->value, stored->scale);
}

}  // namespace cnsched::cel
