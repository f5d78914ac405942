#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cli/output/json.h"

namespace cnsched::cli::lsp {

/// Parses JSON. Nothing if it is invalid, is not UTF-8, or is nested too deeply for recursive code.
std::optional<Json> parse_json(std::string_view text);
/// On one line. Invalid UTF-8 becomes U+FFFD.
std::string text_of(const Json& json);

/// The member of an object; null if there is none, or if `json` is no object. Any client can send
/// any type, so members are never taken for granted.
const Json& member(const Json& json, std::string_view key);
/// The member at the end of the path `keys`, in the same way.
const Json& member(const Json& json, std::initializer_list<std::string_view> keys);
/// Empty if the value is no string.
std::string string_of(const Json& json);
/// Nothing if the value is no whole number from 0 to 2^31 - 1, the protocol's `uinteger`.
std::optional<std::uint32_t> number_of(const Json& json);
/// Whether the value is `true`.
bool is_true(const Json& json);

}  // namespace cnsched::cli::lsp
