#include "core/k8s/schema/formats.h"

#include <algorithm>
#include <array>

#include "core/base/portability.h"
#include "core/base/text.h"
#include "core/k8s/object.h"
#include "core/k8s/selector.h"
#include "core/yaml/scalar.h"

namespace cnsched::k8s::schema {

namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_lower(c) || is_upper(c); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

bool is_subdomain(std::string_view text) {
  return std::ranges::all_of(split(text, '.'), is_dns_part);
}

/// Letters, digits and '-', a letter first and no '-' last.
bool is_kind(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && text.back() != '-' &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

bool is_decimal(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto digits = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, is_digit);
  };
  if (dot == std::string_view::npos) return digits(text);
  return digits(text.substr(0, dot)) && digits(text.substr(dot + 1));
}

/// One to four times: one to five digits and h, m, s or ms.
bool is_gateway_duration(std::string_view text) {
  constexpr int kMostParts = 4;
  constexpr std::size_t kMostDigits = 5;
  for (int part = 0; part < kMostParts; ++part) {
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    if (digits == 0 || digits > kMostDigits) return false;
    text.remove_prefix(digits);
    if (text.starts_with("ms")) {
      text.remove_prefix(2);
    } else if (!text.empty() && is_one_of(text.front(), "hms")) {
      text.remove_prefix(1);
    } else {
      return false;
    }
    if (text.empty()) return true;
  }
  return false;
}

bool is_header_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) || is_one_of(c, "!#$%&'*+-.^_`|~");
  });
}

bool is_path(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_letter(c) || is_digit(c) || is_one_of(c, "-/._~!$&'()*+,;=:@")) continue;
    if (c != '%' || i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) {
      return false;
    }
    i += 2;
  }
  return !text.empty();
}

constexpr auto kFormats = std::to_array<Format>({
    {"dns-1035-label", "lower case letters, digits and '-', a letter first and no '-' last",
     [](std::string_view text) { return is_dns_part(text) && is_lower(text.front()); }},
    {"dns-1123-label", "lower case letters, digits and '-', with a letter or digit at both ends",
     is_dns_part},
    {"dns-1123-subdomain",
     "lower case letters, digits, '-' and '.', with a letter or digit at both ends", is_subdomain},
    {"dns-1123-subdomain-or-empty",
     "lower case letters, digits, '-' and '.', with a letter or digit at both ends",
     [](std::string_view text) { return text.empty() || is_subdomain(text); }},
    {"kind", "letters, digits and '-', a letter first and no '-' last", is_kind},
    {"decimal", "digits, with a '.' between them at most", is_decimal},
    {"gateway-duration", "one to four times a number and h, m, s or ms, such as 1m30s",
     is_gateway_duration},
    {"http-header-name", "letters, digits and !#$%&'*+-.^_`|~", is_header_name},
    {"http-path", "what a URL's path may hold, the rest as %XX", is_path},
});

}  // namespace

const Format* find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : found;
}

std::optional<std::int64_t> whole_number(const yaml::Node& scalar) {
  if (scalar.type == yaml::ScalarType::integer) return yaml::integer_of(scalar);
  const auto literal = yaml::json_literal(scalar);
  return literal ? parse_int64(*literal) : std::nullopt;
}

std::optional<double> number_of(const yaml::Node& scalar) {
  if (const auto whole = whole_number(scalar)) return static_cast<double>(*whole);
  const auto literal = yaml::json_literal(scalar);
  return literal ? parse_double(*literal) : std::nullopt;
}

}  // namespace cnsched::k8s::schema
