// IP addresses, CIDRs and URLs. Source: k8s.io/apiserver 1.36, pkg/cel/library; Go, net/netip and
// net/url.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/truth.h"
#include "core/cel/functions.h"

namespace cnsched::cel {

namespace {

constexpr std::size_t kV4Bytes = 4;
constexpr std::size_t kV6Bytes = 16;
constexpr unsigned kByteBits = 8;

unsigned group_of(const Ip& ip, std::size_t index) {
  return static_cast<unsigned>(ip.bytes[2 * index]) << kByteBits | ip.bytes[2 * index + 1];
}

/// An IPv4 address as IPv6, `::ffff:1.2.3.4`.
bool is_mapped_v4(const Ip& ip) {
  constexpr std::size_t kMark = 5;
  for (std::size_t i = 0; i < kMark; ++i) {
    if (group_of(ip, i) != 0) return false;
  }
  return ip.is_v6 && group_of(ip, kMark) == 0xFFFF;
}

/// An address that Kubernetes accepts: no zone, and no IPv4 as IPv6.
std::optional<Ip> parse_ip(std::string_view text) {
  if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string address(text);
  Ip ip;
  ip.is_v6 = text.find(':') != std::string_view::npos;
  if (inet_pton(ip.is_v6 ? AF_INET6 : AF_INET, address.c_str(), ip.bytes.data()) != 1) {
    return std::nullopt;
  }
  return is_mapped_v4(ip) ? std::nullopt : std::optional(ip);
}

std::size_t bits_of(const Ip& ip) { return kByteBits * (ip.is_v6 ? kV6Bytes : kV4Bytes); }

std::optional<Cidr> parse_cidr(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto ip = parse_ip(text.substr(0, slash));
  const std::string_view bits = text.substr(slash + 1);
  const auto length = whole_number(bits);
  const bool has_zero = bits.size() > 1 && bits.starts_with('0');
  if (!ip || !length || has_zero || *length > bits_of(*ip)) return std::nullopt;
  return Cidr{*ip, static_cast<std::uint8_t>(*length)};
}

/// The address with all bits after the prefix cleared.
Ip masked(const Ip& ip, std::size_t prefix) {
  Ip result = ip;
  for (std::size_t i = 0; i < kV6Bytes; ++i) {
    const std::size_t kept = std::min<std::size_t>(prefix - std::min(prefix, i * kByteBits), 8);
    result.bytes[i] = static_cast<std::uint8_t>(result.bytes[i] & (0xFF00U >> kept));
  }
  return result;
}

bool contains_address(const Cidr& cidr, const Ip& ip) {
  return cidr.ip.is_v6 == ip.is_v6 && masked(cidr.ip, cidr.prefix) == masked(ip, cidr.prefix);
}

/// The argument as an address; texts are parsed.
std::optional<Ip> ip_in(const Value& value) {
  return value.is(Kind::ip) ? std::optional(value.get<Ip>()) : parse_ip(value.text());
}

bool is_unspecified_ip(const Ip& ip) {
  return std::ranges::all_of(ip.bytes, [](std::uint8_t byte) { return byte == 0; });
}

bool is_loopback_ip(const Ip& ip) {
  if (!ip.is_v6) return ip.bytes[0] == 127;
  Ip one{.is_v6 = true};
  one.bytes.back() = 1;
  return ip == one;
}

bool is_link_local_unicast_ip(const Ip& ip) {
  const unsigned first = group_of(ip, 0);
  return ip.is_v6 ? (first & 0xFFC0U) == 0xFE80 : first == 0xA9FE;
}

bool is_multicast_ip(const Ip& ip) {
  return ip.is_v6 ? ip.bytes[0] == 0xFF : (ip.bytes[0] & 0xF0U) == 0xE0;
}

Value ip_error(const Value& text) {
  return Value::error(fmt::format("IP Address '{}' parse error", printable(text.text())));
}

Value cidr_error(const Value& text) {
  return Value::error(fmt::format("network address '{}' parse error", printable(text.text())));
}

bool are_plain(std::string_view text, std::string_view others) {
  return std::ranges::all_of(
      text, [&](char c) { return is_alphanumeric(c) || others.find(c) != std::string_view::npos; });
}

/// Splits "host:port". False for other forms (users, IPv6, escapes).
bool read_authority(std::string_view authority, Url& url) {
  url.host = authority;
  const std::size_t colon = std::min(authority.find(':'), authority.size());
  url.hostname = authority.substr(0, colon);
  if (colon < authority.size()) url.port = authority.substr(colon + 1);
  return are_plain(url.hostname, "-._~") && std::ranges::all_of(url.port, is_digit);
}

/// Whether Go's ParseRequestURI accepts a URL of plain characters. Rare forms are unknown.
Truth read_url(std::string_view text, Url& url) {
  constexpr std::string_view kPathCharacters = "-_.~$&+,:;=@!'()*/";
  constexpr std::string_view kQueryCharacters = "-_.~$&,:=@!'()*/?";
  url.text = text;
  if (text.empty()) return Truth::no;
  const bool has_control =
      std::ranges::any_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
  if (has_control) return Truth::no;
  const std::size_t colon = text.find_first_of(":/?#");
  if (!text.starts_with('/')) {
    if (colon == std::string_view::npos || text[colon] != ':') {
      return text == "*" ? Truth::unknown : Truth::no;
    }
    const std::string_view scheme = text.substr(0, colon);
    if (!are_plain(scheme, "+-.")) return Truth::no;
    if (scheme.empty() || is_digit(scheme.front()) || !is_alphanumeric(scheme.front())) {
      return Truth::no;
    }
    url.scheme = lower(scheme);
    text.remove_prefix(colon + 1);
    if (!text.starts_with("//")) return Truth::unknown;
    text.remove_prefix(2);
    const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
    if (!read_authority(text.substr(0, end), url)) return Truth::unknown;
    text.remove_prefix(end);
  } else if (text.starts_with("//")) {
    return Truth::unknown;
  }
  const std::size_t question = std::min(text.find('?'), text.size());
  url.path = text.substr(0, question);
  if (question < text.size()) url.query = text.substr(question + 1);
  const bool is_plain =
      are_plain(url.path, kPathCharacters) && are_plain(url.query, kQueryCharacters);
  return is_plain ? Truth::yes : Truth::unknown;
}

template <std::string Url::*kPart>
Value url_part(Context& /*context*/, Arguments arguments) {
  return Value::string((*arguments[0].get<std::shared_ptr<const Url>>()).*kPart);
}

template <bool (*kTest)(const Ip&)>
Value test_of_ip(Context& /*context*/, Arguments arguments) {
  return kTest(arguments[0].get<Ip>());
}

Value to_ip(Context& /*context*/, Arguments arguments) {
  if (arguments[0].is(Kind::cidr)) return arguments[0].get<Cidr>().ip;
  if (!arguments[0].is(Kind::string)) return no_such_overload();
  const auto ip = parse_ip(arguments[0].text());
  return ip ? Value(*ip) : ip_error(arguments[0]);
}

Value is_ip(Context& /*context*/, Arguments arguments) {
  return parse_ip(arguments[0].text()).has_value();
}

Value is_canonical_ip(Context& /*context*/, Arguments arguments) {
  const auto ip = parse_ip(arguments[0].text());
  return ip ? Value(to_text(*ip) == arguments[0].text()) : ip_error(arguments[0]);
}

Value ip_family(Context& /*context*/, Arguments arguments) {
  return std::int64_t{arguments[0].get<Ip>().is_v6 ? 6 : 4};
}

bool is_link_local_multicast_ip(const Ip& ip) {
  if (ip.is_v6) return (group_of(ip, 0) & 0xFF0FU) == 0xFF02;
  return group_of(ip, 0) == 0xE000 && ip.bytes[2] == 0;
}

bool is_global_unicast_ip(const Ip& ip) {
  const bool is_broadcast = !ip.is_v6 && group_of(ip, 0) == 0xFFFF && group_of(ip, 1) == 0xFFFF;
  return !is_broadcast && !is_unspecified_ip(ip) && !is_loopback_ip(ip) && !is_multicast_ip(ip) &&
         !is_link_local_unicast_ip(ip);
}

Value to_cidr(Context& /*context*/, Arguments arguments) {
  const auto cidr = parse_cidr(arguments[0].text());
  return cidr ? Value(*cidr) : cidr_error(arguments[0]);
}

Value is_cidr(Context& /*context*/, Arguments arguments) {
  return parse_cidr(arguments[0].text()).has_value();
}

Value contains_ip(Context& /*context*/, Arguments arguments) {
  const bool is_known = arguments[1].is(Kind::ip) || arguments[1].is(Kind::string);
  if (!is_known) return no_such_overload();
  const auto ip = ip_in(arguments[1]);
  if (!ip) return ip_error(arguments[1]);
  return contains_address(arguments[0].get<Cidr>(), *ip);
}

Value contains_cidr(Context& /*context*/, Arguments arguments) {
  const bool is_text = arguments[1].is(Kind::string);
  if (!is_text && !arguments[1].is(Kind::cidr)) return no_such_overload();
  const auto inner = is_text ? parse_cidr(arguments[1].text()) : arguments[1].get<Cidr>();
  if (!inner) return cidr_error(arguments[1]);
  const auto& outer = arguments[0].get<Cidr>();
  return outer.prefix <= inner->prefix && contains_address(outer, inner->ip);
}

Value prefix_length(Context& /*context*/, Arguments arguments) {
  return std::int64_t{arguments[0].get<Cidr>().prefix};
}

Value masked_cidr(Context& /*context*/, Arguments arguments) {
  const auto& cidr = arguments[0].get<Cidr>();
  return Cidr{masked(cidr.ip, cidr.prefix), cidr.prefix};
}

Value to_url(Context& context, Arguments arguments) {
  if (!context.charge(text_cost(arguments[0].text().size()))) return {};
  const auto url = std::make_shared<Url>();
  const Truth is_valid = read_url(arguments[0].text(), *url);
  if (is_valid == Truth::unknown) return Value::unknown("url() of an unusual URL");
  if (is_valid == Truth::no) return Value::error("URL parse error");
  return std::shared_ptr<const Url>(url);
}

Value is_url(Context& context, Arguments arguments) {
  if (!context.charge(text_cost(arguments[0].text().size()))) return {};
  Url url;
  const Truth is_valid = read_url(arguments[0].text(), url);
  if (is_valid == Truth::unknown) return Value::unknown("isURL() of an unusual URL");
  return is_valid == Truth::yes;
}

Value url_query(Context& context, Arguments arguments) {
  const std::string& query = arguments[0].get<std::shared_ptr<const Url>>()->query;
  if (!context.charge(query.size())) return {};
  std::map<std::string_view, std::vector<Value>> values;
  for (const std::string_view pair : split(query, '&')) {
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    values[pair.substr(0, equals)].push_back(Value::string(std::string(value)));
  }
  const auto built = std::make_shared<BuiltMap>();
  for (auto& [name, all] : values) {
    built->insert(Value::string(std::string(name)), Value::list(std::move(all)));
  }
  return std::shared_ptr<const Map>(built);
}

}  // namespace

std::string to_text(const Ip& ip) {
  if (!ip.is_v6) {
    return fmt::format("{}.{}.{}.{}", ip.bytes[0], ip.bytes[1], ip.bytes[2], ip.bytes[3]);
  }
  // The first of the longest runs of zeros is left out, if it has two groups or more.
  constexpr std::size_t kGroups = 8;
  std::size_t best = kGroups;
  std::size_t best_length = 1;
  for (std::size_t begin = 0; begin < kGroups; ++begin) {
    std::size_t end = begin;
    while (end < kGroups && group_of(ip, end) == 0) ++end;
    if (end - begin <= best_length) continue;
    best = begin;
    best_length = end - begin;
  }
  std::string text;
  for (std::size_t i = 0; i < kGroups; ++i) {
    if (i == best) {
      text += "::";
      i += best_length - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    text += fmt::format("{:x}", group_of(ip, i));
  }
  return text;
}

std::string to_text(const Cidr& cidr) {
  return fmt::format("{}/{}", to_text(cidr.ip), cidr.prefix);
}

std::span<const Function> net_functions() {
  static constexpr auto kFunctions = std::to_array<Function>({
      {"cidr", kGlobal, "s", to_cidr},
      {"containsCIDR", kMember, "c.", contains_cidr},
      {"containsIP", kMember, "c.", contains_ip},
      {"family", kMember, "p", ip_family},
      {"getEscapedPath", kMember, "u", url_part<&Url::path>},
      {"getHost", kMember, "u", url_part<&Url::host>},
      {"getHostname", kMember, "u", url_part<&Url::hostname>},
      {"getPort", kMember, "u", url_part<&Url::port>},
      {"getQuery", kMember, "u", url_query},
      {"getScheme", kMember, "u", url_part<&Url::scheme>},
      {"ip", kBoth, ".", to_ip},
      {"ip.isCanonical", kGlobal, "s", is_canonical_ip},
      {"isCIDR", kGlobal, "s", is_cidr},
      {"isGlobalUnicast", kMember, "p", test_of_ip<is_global_unicast_ip>},
      {"isIP", kGlobal, "s", is_ip},
      {"isLinkLocalMulticast", kMember, "p", test_of_ip<is_link_local_multicast_ip>},
      {"isLinkLocalUnicast", kMember, "p", test_of_ip<is_link_local_unicast_ip>},
      {"isLoopback", kMember, "p", test_of_ip<is_loopback_ip>},
      {"isURL", kGlobal, "s", is_url},
      {"isUnspecified", kMember, "p", test_of_ip<is_unspecified_ip>},
      {"masked", kMember, "c", masked_cidr},
      {"prefixLength", kMember, "c", prefix_length},
      {"url", kGlobal, "s", to_url},
  });
  return kFunctions;
}

}  // namespace cnsched::cel
