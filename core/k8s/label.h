#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cnsched::k8s {

/// Why `key` is not a label key (also the syntax of taint keys and resource names), or nothing: an
/// optional lowercase DNS prefix and '/', then at most 63 letters, digits, '-', '_' or '.'.
/// Source: k8s.io/apimachinery pkg/api/validate/content/kube.go.
std::optional<std::string> label_key_problem(std::string_view key);

/// Why `value` is not a label value, or nothing: empty, or at most 63 letters, digits, '-', '_' or
/// '.' that begin and end with a letter or digit.
std::optional<std::string> label_value_problem(std::string_view value);

/// Whether the text has a placeholder that is substituted before it reaches a cluster: {{ .x }},
/// ${X}, $(X), $X, <x>, ... Its final value, and so its syntax, is unknown.
bool is_placeholder(std::string_view text);

}  // namespace cnsched::k8s
