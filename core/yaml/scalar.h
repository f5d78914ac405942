#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/yaml/node.h"

namespace cnsched::yaml {

/// The type of a plain scalar as kubectl and the API server read it (sigs.k8s.io/yaml over go-yaml
/// v2): YAML 1.1 booleans (yes, on, y), octal integers with a leading zero and underscores in
/// numbers; dates and sexagesimals are strings. nullopt is null.
/// Source: go.yaml.in/yaml/v2 resolve.go.
std::optional<ScalarType> resolve_plain(std::string_view text);

/// The boolean that plain `text` means, if any.
std::optional<bool> boolean_of(std::string_view text);

/// The integer that a plain scalar means (decimal, 0x, 0b, 0o or octal with a leading zero), if it
/// is one and fits.
std::optional<std::int64_t> integer_of(const Node& node);

/// The scalar in the JSON that kubectl sends: "true", "8", "0.5". Nothing for a string, and for a
/// number that a double cannot hold: kubectl sends that as a string, as JSON has no .inf.
/// Source: sigs.k8s.io/yaml, YAMLToJSON.
std::optional<std::string> json_literal(const Node& node);

/// A number as it is in that JSON. `value` is finite.
std::string float_literal(double value);

/// The key in the JSON that kubectl sends: "true" for `yes:`.
std::string key_text(const Node& key);

/// Whether two keys are the same in that JSON.
inline bool is_same_key(const Node& a, const Node& b) {
  if (a.type == ScalarType::string && b.type == ScalarType::string) return a.text() == b.text();
  return key_text(a) == key_text(b);
}

/// The type of the node for messages: "a boolean", "an integer", "a mapping".
std::string_view describe(const Node& node);

/// Whether Kubernetes reads both as the same JSON: kinds, scalars (yes is true, 010 is 8, but '8' a
/// string), items and entries in order, keys as strings. Aliases and merged entries are compared by
/// content; of duplicate keys the last counts.
bool same_value(const Node& a, const Node& b);

/// A string as a YAML scalar on one line: plain where every parser reads it as that string, else in
/// double quotes. Control characters are escaped; invalid UTF-8 becomes U+FFFD.
std::string quoted_for_yaml(std::string_view text);

/// The same within a flow collection, where a plain scalar cannot contain brackets and commas; with
/// `always`, in double quotes, as in JSON.
std::string quoted_for_flow(std::string_view text, bool always);

/// The same, in single quotes if the text needs no escapes.
std::string in_single_quotes(std::string_view text);

/// Whether the string has several lines and a literal block scalar can represent it exactly.
bool fits_block_scalar(std::string_view text);
/// "|" or "|-".
std::string block_scalar_header(std::string_view text);
/// The lines below the header, each with its line break.
std::string block_scalar_lines(std::string_view text, std::size_t indent);

/// A string as an ASCII-only JSON string; invalid UTF-8 becomes U+FFFD.
std::string quoted_for_json(std::string_view text);

}  // namespace cnsched::yaml
