// Quantities and semantic versions. Source: k8s.io/apiserver 1.36, pkg/cel/library.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/cel/functions.h"

namespace cnsched::cel {

namespace {

using SemverPointer = std::shared_ptr<const Semver>;

/// A quantity, or an integer that a quantity is added to.
std::optional<Amount> amount_of(const Value& value) {
  if (value.is(Kind::quantity)) return value.quantity();
  if (value.is(Kind::integer)) return Amount::of(value.get<std::int64_t>());
  return std::nullopt;
}

template <bool kNegates>
Value quantity_sum(Context& /*context*/, Arguments arguments) {
  const auto other = amount_of(arguments[1]);
  if (!other) return no_such_overload();
  const auto sum = arguments[0].quantity().plus(kNegates ? other->negated() : *other);
  return sum ? Value::quantity(*sum) : Value::unknown("quantities beyond 64 bits");
}

/// The order of two quantities or versions.
std::optional<std::strong_ordering> order_of(Arguments arguments) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (a.is(Kind::quantity) && b.is(Kind::quantity)) {
    return a.quantity().quantity <=> b.quantity().quantity;
  }
  if (!a.is(Kind::semver) || !b.is(Kind::semver)) return std::nullopt;
  return *a.get<SemverPointer>() <=> *b.get<SemverPointer>();
}

/// A number without leading zeros.
std::optional<std::uint64_t> version_number(std::string_view text) {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return whole_number<std::uint64_t>(text);
}

bool is_version_part(std::string_view part) {
  return !part.empty() &&
         std::ranges::all_of(part, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

/// Source: github.com/blang/semver, Parse.
std::optional<Semver> parse_semver(std::string_view text) {
  const auto build = std::min(text.find('+'), text.size());
  if (build < text.size()) {
    const auto parts = split(text.substr(build + 1), '.');
    if (!std::ranges::all_of(parts, is_version_part)) return std::nullopt;
  }
  text = text.substr(0, build);
  const auto dash = std::min(text.find('-'), text.size());
  const auto numbers = split(text.substr(0, dash), '.');
  if (numbers.size() != 3) return std::nullopt;
  Semver version;
  if (dash < text.size()) {
    for (const std::string_view part : split(text.substr(dash + 1), '.')) {
      const bool is_number = !part.empty() && std::ranges::all_of(part, is_digit);
      if (!is_version_part(part) || (is_number && !version_number(part))) return std::nullopt;
      version.prerelease.emplace_back(part);
    }
  }
  const auto major = version_number(numbers[0]);
  const auto minor = version_number(numbers[1]);
  const auto patch = version_number(numbers[2]);
  if (!major || !minor || !patch) return std::nullopt;
  version.major = *major;
  version.minor = *minor;
  version.patch = *patch;
  return version;
}

/// As semver(text, true) reads it: "v1.02" is 1.2.0. Nothing if it cannot be completed.
std::optional<std::string> normalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  for (; parts.size() < 2 && text.find('.') != std::string_view::npos;) {
    parts.emplace_back(text.substr(0, text.find('.')));
    text.remove_prefix(parts.back().size() + 1);
  }
  parts.emplace_back(text);
  for (std::string& part : parts) {
    if (part.size() < 2) continue;
    part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
    if (part.empty() || !is_digit(part.front())) part.insert(0, "0");
  }
  const bool is_short = parts.size() < 3;
  if (is_short && parts.back().find_first_of("+-") != std::string::npos) return std::nullopt;
  parts.resize(3, "0");
  return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

/// The version in the arguments of semver() and isSemver().
std::optional<Semver> semver_in(Arguments arguments) {
  const bool normalizes = arguments.size() > 1 && arguments[1].get<bool>();
  if (!normalizes) return parse_semver(arguments[0].text());
  const auto text = normalized(arguments[0].text());
  return text ? parse_semver(*text) : std::optional<Semver>();
}

template <std::uint64_t Semver::*kPart>
Value version_part(Context& /*context*/, Arguments arguments) {
  return static_cast<std::int64_t>((*arguments[0].get<SemverPointer>()).*kPart);
}

Value to_quantity(Context& context, Arguments arguments) {
  if (!context.charge(text_cost(arguments[0].text().size()))) return {};
  return quantity_value(arguments[0].text());
}

Value is_quantity(Context& context, Arguments arguments) {
  if (!context.charge(text_cost(arguments[0].text().size()))) return {};
  return static_cast<bool>(Quantity::parse(arguments[0].text()));
}

Value sign_of(Context& /*context*/, Arguments arguments) {
  const Quantity& quantity = arguments[0].quantity().quantity;
  if (quantity.is_zero()) return std::int64_t{0};
  return std::int64_t{quantity.is_negative() ? -1 : 1};
}

Value is_integer(Context& /*context*/, Arguments arguments) {
  return arguments[0].quantity().integer().has_value();
}

Value as_integer(Context& /*context*/, Arguments arguments) {
  const auto integer = arguments[0].quantity().integer();
  return integer ? Value(*integer) : Value::error("cannot convert value to integer");
}

Value as_approximate_float(Context& /*context*/, Arguments arguments) {
  const auto& stored = arguments[0].quantity().stored;
  if (!stored) return Value::unknown("asApproximateFloat() of a quantity beyond 64 bits");
  const auto value = static_cast<double>(stored->value);
  return stored->scale == 0 ? value : value * std::pow(10.0, stored->scale);
}

Value compare_to(Context& /*context*/, Arguments arguments) {
  const auto order = order_of(arguments);
  if (!order) return no_such_overload();
  return std::int64_t{std::is_gt(*order) - std::is_lt(*order)};
}

Value is_greater_than(Context& /*context*/, Arguments arguments) {
  const auto order = order_of(arguments);
  return order ? Value(std::is_gt(*order)) : no_such_overload();
}

Value is_less_than(Context& /*context*/, Arguments arguments) {
  const auto order = order_of(arguments);
  return order ? Value(std::is_lt(*order)) : no_such_overload();
}

Value to_semver(Context& context, Arguments arguments) {
  if (!context.charge(text_cost(arguments[0].text().size()))) return {};
  const auto version = semver_in(arguments);
  if (!version) return Value::error("not a semantic version");
  return SemverPointer(std::make_shared<const Semver>(*version));
}

Value is_semver(Context& context, Arguments arguments) {
  if (!context.charge(text_cost(arguments[0].text().size()))) return {};
  return semver_in(arguments).has_value();
}

}  // namespace

std::strong_ordering operator<=>(const Semver& a, const Semver& b) {
  if (a.major != b.major) return a.major <=> b.major;
  if (a.minor != b.minor) return a.minor <=> b.minor;
  if (a.patch != b.patch) return a.patch <=> b.patch;
  // A release comes after its prereleases.
  if (a.prerelease.empty() || b.prerelease.empty()) {
    return b.prerelease.size() <=> a.prerelease.size();
  }
  for (std::size_t i = 0; i < std::min(a.prerelease.size(), b.prerelease.size()); ++i) {
    const auto left = version_number(a.prerelease[i]);
    const auto right = version_number(b.prerelease[i]);
    if (left && right && *left != *right) return *left <=> *right;
    if (left && right) continue;
    if (left || right) {  // numbers come before words
      return left ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    if (a.prerelease[i] != b.prerelease[i]) return a.prerelease[i] <=> b.prerelease[i];
  }
  return a.prerelease.size() <=> b.prerelease.size();
}

Value quantity_value(std::string_view text) {
  const auto amount = Amount::parse(text);
  return amount ? Value::quantity(*amount) : Value::error(amount.error().message);
}

Value semver_value(std::string_view text) {
  const auto version = parse_semver(text);
  if (!version) return Value::error(fmt::format("'{}' is not a semantic version", printable(text)));
  return SemverPointer(std::make_shared<const Semver>(*version));
}

std::span<const Function> kubernetes_functions() {
  static constexpr auto kFunctions = std::to_array<Function>({
      {"add", kMember, "q.", quantity_sum<false>},
      {"asApproximateFloat", kMember, "q", as_approximate_float},
      {"asInteger", kMember, "q", as_integer},
      {"compareTo", kMember, "..", compare_to},
      {"isGreaterThan", kMember, "..", is_greater_than},
      {"isInteger", kMember, "q", is_integer},
      {"isLessThan", kMember, "..", is_less_than},
      {"isQuantity", kGlobal, "s", is_quantity},
      {"isSemver", kGlobal, "s[b", is_semver},
      {"major", kMember, "v", version_part<&Semver::major>},
      {"minor", kMember, "v", version_part<&Semver::minor>},
      {"patch", kMember, "v", version_part<&Semver::patch>},
      {"quantity", kGlobal, "s", to_quantity},
      {"semver", kGlobal, "s[b", to_semver},
      {"sign", kGlobal, "q", sign_of},
      {"sub", kMember, "q.", quantity_sum<true>},
  });
  return kFunctions;
}

}  // namespace cnsched::cel
