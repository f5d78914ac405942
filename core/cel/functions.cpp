#include "core/cel/functions.h"

#include <algorithm>
#include <array>

#include "core/cel/library.h"

namespace cnsched::cel {

namespace {

constexpr auto kGlobal = Function::Style::global;
constexpr auto kMember = Function::Style::member;
constexpr auto kBoth = Function::Style::both;

constexpr std::string_view kStandard = "CEL";
constexpr std::string_view kOptional = "CEL, optional values";
constexpr std::string_view kStrings = "CEL, strings";
constexpr std::string_view kMath = "CEL, math";
constexpr std::string_view kLists = "CEL, lists";
constexpr std::string_view kSets = "CEL, sets";
constexpr std::string_view kKubernetesLists = "Kubernetes, lists";
constexpr std::string_view kRegex = "Kubernetes, regex";
constexpr std::string_view kQuantities = "Kubernetes, quantity";
constexpr std::string_view kSemver = "Kubernetes, semver";
constexpr std::string_view kNet = "Kubernetes, IP and CIDR";
constexpr std::string_view kUrls = "Kubernetes, URL";

constexpr std::uint8_t kMany = 255;

constexpr auto kFunctions = std::to_array<Function>({
    {"add", kMember, 2, 2, quantity_add, kQuantities},
    {"asApproximateFloat", kMember, 1, 1, as_approximate_float, kQuantities},
    {"asInteger", kMember, 1, 1, as_integer, kQuantities},
    {"bool", kGlobal, 1, 1, to_bool, kStandard},
    {"bytes", kGlobal, 1, 1, to_bytes, kStandard},
    {"charAt", kMember, 2, 2, char_at, kStrings},
    {"cidr", kGlobal, 1, 1, to_cidr, kNet},
    {"compareTo", kMember, 2, 2, compare_to, kQuantities},
    {"contains", kMember, 2, 2, contains, kStandard},
    {"containsCIDR", kMember, 2, 2, contains_cidr, kNet},
    {"containsIP", kMember, 2, 2, contains_ip, kNet},
    {"distinct", kMember, 1, 1, distinct, kLists},
    {"double", kGlobal, 1, 1, to_double, kStandard},
    {"duration", kGlobal, 1, 1, to_duration, kStandard},
    {"dyn", kGlobal, 1, 1, to_dyn, kStandard},
    {"endsWith", kMember, 2, 2, ends_with, kStandard},
    {"family", kMember, 1, 1, ip_family, kNet},
    {"find", kMember, 2, 2, find_match, kRegex},
    {"findAll", kMember, 2, 3, find_matches, kRegex},
    {"first", kMember, 1, 1, first_item, kLists},
    {"flatten", kMember, 1, 2, flatten, kLists},
    {"format", kMember, 2, 2, format_text, kStrings},
    {"getDate", kMember, 1, 2, get_date, kStandard},
    {"getDayOfMonth", kMember, 1, 2, get_day_of_month, kStandard},
    {"getDayOfWeek", kMember, 1, 2, get_day_of_week, kStandard},
    {"getDayOfYear", kMember, 1, 2, get_day_of_year, kStandard},
    {"getEscapedPath", kMember, 1, 1, url_escaped_path, kUrls},
    {"getFullYear", kMember, 1, 2, get_full_year, kStandard},
    {"getHost", kMember, 1, 1, url_host, kUrls},
    {"getHostname", kMember, 1, 1, url_hostname, kUrls},
    {"getHours", kMember, 1, 2, get_hours, kStandard},
    {"getMilliseconds", kMember, 1, 2, get_milliseconds, kStandard},
    {"getMinutes", kMember, 1, 2, get_minutes, kStandard},
    {"getMonth", kMember, 1, 2, get_month, kStandard},
    {"getPort", kMember, 1, 1, url_port, kUrls},
    {"getQuery", kMember, 1, 1, url_query, kUrls},
    {"getScheme", kMember, 1, 1, url_scheme, kUrls},
    {"getSeconds", kMember, 1, 2, get_seconds, kStandard},
    {"hasValue", kMember, 1, 1, has_value, kOptional},
    {"indexOf", kMember, 2, 3, index_of, kStrings},
    {"int", kGlobal, 1, 1, to_int, kStandard},
    {"ip", kBoth, 1, 1, to_ip, kNet},
    {"ip.isCanonical", kGlobal, 1, 1, is_canonical_ip, kNet},
    {"isCIDR", kGlobal, 1, 1, is_cidr, kNet},
    {"isGlobalUnicast", kMember, 1, 1, is_global_unicast, kNet},
    {"isGreaterThan", kMember, 2, 2, is_greater_than, kQuantities},
    {"isIP", kGlobal, 1, 1, is_ip, kNet},
    {"isInteger", kMember, 1, 1, is_integer, kQuantities},
    {"isLessThan", kMember, 2, 2, is_less_than, kQuantities},
    {"isLinkLocalMulticast", kMember, 1, 1, is_link_local_multicast, kNet},
    {"isLinkLocalUnicast", kMember, 1, 1, is_link_local_unicast, kNet},
    {"isLoopback", kMember, 1, 1, is_loopback, kNet},
    {"isQuantity", kGlobal, 1, 1, is_quantity, kQuantities},
    {"isSemver", kGlobal, 1, 2, is_semver, kSemver},
    {"isSorted", kMember, 1, 1, is_sorted, kKubernetesLists},
    {"isURL", kGlobal, 1, 1, is_url, kUrls},
    {"isUnspecified", kMember, 1, 1, is_unspecified, kNet},
    {"join", kMember, 1, 2, join_texts, kStrings},
    {"last", kMember, 1, 1, last_item, kLists},
    {"lastIndexOf", kMember, 2, 3, last_index_of, kStrings},
    {"lists.range", kGlobal, 1, 1, list_range, kLists},
    {"lowerAscii", kMember, 1, 1, lower_ascii, kStrings},
    {"major", kMember, 1, 1, semver_major, kSemver},
    {"masked", kMember, 1, 1, masked_cidr, kNet},
    {"matches", kBoth, 2, 2, matches, kStandard},
    {"math.abs", kGlobal, 1, 1, math_abs, kMath},
    {"math.ceil", kGlobal, 1, 1, math_ceil, kMath},
    {"math.floor", kGlobal, 1, 1, math_floor, kMath},
    {"math.greatest", kGlobal, 1, kMany, math_greatest, kMath},
    {"math.least", kGlobal, 1, kMany, math_least, kMath},
    {"math.round", kGlobal, 1, 1, math_round, kMath},
    {"max", kMember, 1, 1, list_max, kKubernetesLists},
    {"min", kMember, 1, 1, list_min, kKubernetesLists},
    {"minor", kMember, 1, 1, semver_minor, kSemver},
    {"optional.none", kGlobal, 0, 0, optional_none, kOptional},
    {"optional.of", kGlobal, 1, 1, optional_of, kOptional},
    {"optional.ofNonZeroValue", kGlobal, 1, 1, optional_of_non_zero, kOptional},
    {"optional.unwrap", kGlobal, 1, 1, optional_unwrap, kOptional},
    {"or", kMember, 2, 2, nullptr, kOptional},
    {"orValue", kMember, 2, 2, nullptr, kOptional},
    {"patch", kMember, 1, 1, semver_patch, kSemver},
    {"prefixLength", kMember, 1, 1, prefix_length, kNet},
    {"quantity", kGlobal, 1, 1, to_quantity, kQuantities},
    {"replace", kMember, 3, 4, replace_text, kStrings},
    {"reverse", kMember, 1, 1, reverse, kLists},
    {"semver", kGlobal, 1, 2, to_semver, kSemver},
    {"sets.contains", kGlobal, 2, 2, sets_contains, kSets},
    {"sets.equivalent", kGlobal, 2, 2, sets_equivalent, kSets},
    {"sets.intersects", kGlobal, 2, 2, sets_intersects, kSets},
    {"sign", kGlobal, 1, 1, sign_of, kQuantities},
    {"size", kBoth, 1, 1, size_of, kStandard},
    {"slice", kMember, 3, 3, slice, kLists},
    {"sort", kMember, 1, 1, sort_list, kLists},
    {"split", kMember, 2, 3, split_text, kStrings},
    {"startsWith", kMember, 2, 2, starts_with, kStandard},
    {"string", kGlobal, 1, 1, to_string, kStandard},
    {"strings.quote", kGlobal, 1, 1, quote_text, kStrings},
    {"sub", kMember, 2, 2, quantity_sub, kQuantities},
    {"substring", kMember, 2, 3, substring, kStrings},
    {"sum", kMember, 1, 1, list_sum, kKubernetesLists},
    {"timestamp", kGlobal, 1, 1, to_timestamp, kStandard},
    {"trim", kMember, 1, 1, trim_text, kStrings},
    {"type", kGlobal, 1, 1, to_type, kStandard},
    {"uint", kGlobal, 1, 1, to_uint, kStandard},
    {"unwrapOpt", kMember, 1, 1, optional_unwrap, kOptional},
    {"upperAscii", kMember, 1, 1, upper_ascii, kStrings},
    {"url", kGlobal, 1, 1, to_url, kUrls},
    {"value", kMember, 1, 1, optional_value, kOptional},
});
static_assert(std::ranges::is_sorted(kFunctions, {}, &Function::name));

}  // namespace

std::span<const Function> functions() { return kFunctions; }

const Function* find_function(std::string_view name, bool as_member) {
  const auto* found = std::ranges::lower_bound(kFunctions, name, {}, &Function::name);
  if (found == kFunctions.end() || found->name != name) return nullptr;
  const auto other = as_member ? kGlobal : kMember;
  return found->style == other ? nullptr : found;
}

Value no_such_overload() { return Value::error("no such overload"); }

}  // namespace cnsched::cel
