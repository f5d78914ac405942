#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/yaml/node.h"

namespace cnsched::yaml {

/// The type of a plain scalar as kubectl and the API server read it: sigs.k8s.io/yaml over go-yaml
/// v2, that is YAML 1.1 booleans (yes, on, y), leading-zero octals, underscores in numbers, dates
/// and sexagesimals as strings. nullopt is null.
/// Source: go.yaml.in/yaml/v2 resolve.go.
std::optional<ScalarType> resolve_plain(std::string_view text);

/// The boolean that plain `text` spells, if it does.
std::optional<bool> boolean_of(std::string_view text);

/// The whole number that a plain scalar spells (decimal, 0x, 0b, 0o or leading-zero octal), if it
/// does and fits.
std::optional<std::int64_t> integer_of(const Node& node);

/// What the scalar is in the JSON that kubectl makes of a manifest: "true", "8", "0.5". Nothing for
/// a string, which is also what becomes of a number that a double cannot hold; JSON has no .inf.
/// Source: sigs.k8s.io/yaml, YAMLToJSON.
std::optional<std::string> json_literal(const Node& node);

/// The string that a key is in the end: "true" where a manifest says `yes:`.
std::string key_text(const Node& key);

/// Whether two keys are the same in the end.
inline bool is_same_key(const Node& a, const Node& b) {
  if (a.type == ScalarType::string && b.type == ScalarType::string) return a.text() == b.text();
  return key_text(a) == key_text(b);
}

/// "a boolean", "an integer", "a mapping": what a message calls the node.
std::string_view describe(const Node& node);

}  // namespace cnsched::yaml
