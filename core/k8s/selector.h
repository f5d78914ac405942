#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/yaml/node.h"

namespace cnsched::k8s {

/// A label of a node, of a pool's future nodes, or of a selector, and where it is written.
struct Label {
  std::string_view key;
  std::string_view value;
  const yaml::Node* node = nullptr;  ///< the value; its `key` is the key
};

/// The pairs of a mapping such as nodeSelector or labels; of duplicate keys the last.
std::vector<Label> labels_in(const yaml::Node& mapping);

/// One entry of matchExpressions.
struct Requirement {
  const yaml::Node* node = nullptr;
  std::string_view key;
  std::string_view op;
  std::vector<const yaml::Node*> values;

  /// Whether a node with `labels` satisfies it; an unknown operator is never satisfied.
  /// Source: k8s.io/apimachinery pkg/labels/selector.go, Requirement.Matches.
  bool matches(const std::vector<Label>& labels) const;
  /// The same for the value of the label; nothing if the node does not have the label.
  bool matches_value(std::optional<std::string_view> value) const;
  /// Whether every node that satisfies it has the label: In, Exists, Gt and Lt, but not NotIn.
  bool requires_label() const;
};

/// "a, b, …": at most so many of the values, safe to print.
std::string first_values(const Requirement& requirement, std::size_t most);

std::vector<Requirement> requirements_in(const yaml::Node& match_expressions);
/// The requirement that is equivalent to a label of nodeSelector or matchLabels.
Requirement requirement_of(const Label& label);
/// The requirements of a labelSelector: its matchLabels, then its matchExpressions. Empty both for
/// a missing selector, which selects nothing, and for {}, which selects everything.
std::vector<Requirement> label_selector_in(const yaml::Node& label_selector);

/// Matches many values of a label with one requirement, whose own list of values may be long.
class ValueMatcher {
 public:
  explicit ValueMatcher(Requirement requirement);

  const Requirement& requirement() const { return requirement_; }
  /// The values of the requirement, without duplicates.
  const std::unordered_set<std::string_view>& listed() const { return listed_; }
  bool operator()(std::optional<std::string_view> value) const;

 private:
  Requirement requirement_;
  std::unordered_set<std::string_view> listed_;
};

/// Parses a base-10 int64 as Go does for Gt and Lt: an optional sign, then only digits.
std::optional<std::int64_t> parse_int64(std::string_view text);

}  // namespace cnsched::k8s
