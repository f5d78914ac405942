#pragma once

#include "core/cel/functions.h"

// The implementations, by file; functions.cpp has the table. All get arguments that are no
// failures, as many as the table allows.

namespace cnsched::cel {

Value to_bool(Context& context, Arguments arguments);
Value to_bytes(Context& context, Arguments arguments);
Value to_double(Context& context, Arguments arguments);
Value to_duration(Context& context, Arguments arguments);
Value to_dyn(Context& context, Arguments arguments);
Value to_int(Context& context, Arguments arguments);
Value to_string(Context& context, Arguments arguments);
Value to_timestamp(Context& context, Arguments arguments);
Value to_type(Context& context, Arguments arguments);
Value to_uint(Context& context, Arguments arguments);
Value size_of(Context& context, Arguments arguments);

Value get_date(Context& context, Arguments arguments);
Value get_day_of_month(Context& context, Arguments arguments);
Value get_day_of_week(Context& context, Arguments arguments);
Value get_day_of_year(Context& context, Arguments arguments);
Value get_full_year(Context& context, Arguments arguments);
Value get_hours(Context& context, Arguments arguments);
Value get_milliseconds(Context& context, Arguments arguments);
Value get_minutes(Context& context, Arguments arguments);
Value get_month(Context& context, Arguments arguments);
Value get_seconds(Context& context, Arguments arguments);

Value char_at(Context& context, Arguments arguments);
Value contains(Context& context, Arguments arguments);
Value ends_with(Context& context, Arguments arguments);
Value find_match(Context& context, Arguments arguments);
Value find_matches(Context& context, Arguments arguments);
Value format_text(Context& context, Arguments arguments);
Value index_in_text(Context& context, Arguments arguments, bool last);
Value join_texts(Context& context, Arguments arguments);
Value lower_ascii(Context& context, Arguments arguments);
Value matches(Context& context, Arguments arguments);
Value quote_text(Context& context, Arguments arguments);
Value replace_text(Context& context, Arguments arguments);
Value reverse_text(Context& context, Arguments arguments);
Value split_text(Context& context, Arguments arguments);
Value starts_with(Context& context, Arguments arguments);
Value substring(Context& context, Arguments arguments);
Value trim_text(Context& context, Arguments arguments);
Value upper_ascii(Context& context, Arguments arguments);

Value distinct(Context& context, Arguments arguments);
Value first_item(Context& context, Arguments arguments);
Value flatten(Context& context, Arguments arguments);
Value index_of(Context& context, Arguments arguments);
Value is_sorted(Context& context, Arguments arguments);
Value last_index_of(Context& context, Arguments arguments);
Value last_item(Context& context, Arguments arguments);
Value list_max(Context& context, Arguments arguments);
Value list_min(Context& context, Arguments arguments);
Value list_range(Context& context, Arguments arguments);
Value list_sum(Context& context, Arguments arguments);
Value reverse(Context& context, Arguments arguments);
Value sets_contains(Context& context, Arguments arguments);
Value sets_equivalent(Context& context, Arguments arguments);
Value sets_intersects(Context& context, Arguments arguments);
Value slice(Context& context, Arguments arguments);
Value sort_list(Context& context, Arguments arguments);

Value math_abs(Context& context, Arguments arguments);
Value math_ceil(Context& context, Arguments arguments);
Value math_floor(Context& context, Arguments arguments);
Value math_greatest(Context& context, Arguments arguments);
Value math_least(Context& context, Arguments arguments);
Value math_round(Context& context, Arguments arguments);

Value has_value(Context& context, Arguments arguments);
Value optional_none(Context& context, Arguments arguments);
Value optional_of(Context& context, Arguments arguments);
Value optional_of_non_zero(Context& context, Arguments arguments);
Value optional_unwrap(Context& context, Arguments arguments);
Value optional_value(Context& context, Arguments arguments);

Value as_approximate_float(Context& context, Arguments arguments);
Value as_integer(Context& context, Arguments arguments);
Value compare_to(Context& context, Arguments arguments);
Value is_greater_than(Context& context, Arguments arguments);
Value is_integer(Context& context, Arguments arguments);
Value is_less_than(Context& context, Arguments arguments);
Value is_quantity(Context& context, Arguments arguments);
Value quantity_add(Context& context, Arguments arguments);
Value quantity_sub(Context& context, Arguments arguments);
Value sign_of(Context& context, Arguments arguments);
Value to_quantity(Context& context, Arguments arguments);

Value is_semver(Context& context, Arguments arguments);
Value semver_major(Context& context, Arguments arguments);
Value semver_minor(Context& context, Arguments arguments);
Value semver_patch(Context& context, Arguments arguments);
Value to_semver(Context& context, Arguments arguments);

Value contains_cidr(Context& context, Arguments arguments);
Value contains_ip(Context& context, Arguments arguments);
Value ip_family(Context& context, Arguments arguments);
Value is_canonical_ip(Context& context, Arguments arguments);
Value is_cidr(Context& context, Arguments arguments);
Value is_global_unicast(Context& context, Arguments arguments);
Value is_ip(Context& context, Arguments arguments);
Value is_link_local_multicast(Context& context, Arguments arguments);
Value is_link_local_unicast(Context& context, Arguments arguments);
Value is_loopback(Context& context, Arguments arguments);
Value is_unspecified(Context& context, Arguments arguments);
Value masked_cidr(Context& context, Arguments arguments);
Value prefix_length(Context& context, Arguments arguments);
Value to_cidr(Context& context, Arguments arguments);
Value to_ip(Context& context, Arguments arguments);

Value is_url(Context& context, Arguments arguments);
Value to_url(Context& context, Arguments arguments);
Value url_escaped_path(Context& context, Arguments arguments);
Value url_host(Context& context, Arguments arguments);
Value url_hostname(Context& context, Arguments arguments);
Value url_port(Context& context, Arguments arguments);
Value url_query(Context& context, Arguments arguments);
Value url_scheme(Context& context, Arguments arguments);

std::string to_text(const Ip& ip);
std::string to_text(const Cidr& cidr);

}  // namespace cnsched::cel
