#pragma once

#include <optional>
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
  /// The same of the value that the label has; nothing: the node lacks it.
  bool matches_value(std::optional<std::string_view> value) const;
  /// Whether every node that satisfies it carries the label: In, Exists, Gt and Lt, but not NotIn.
  bool asks_for_label() const;
};

std::vector<Requirement> requirements_in(const yaml::Node& match_expressions);
/// The requirement that a label of nodeSelector or matchLabels amounts to.
Requirement requirement_of(const Label& label);
/// What a labelSelector asks for: its matchLabels, then its matchExpressions. One that is not
/// written at all asks for nothing as well, but selects nothing, while {} selects everything.
std::vector<Requirement> label_selector_in(const yaml::Node& label_selector);

/// A requirement that is asked of many values of its label: its own list may be long, too.
class ValueMatcher {
 public:
  explicit ValueMatcher(Requirement requirement);

  const Requirement& requirement() const { return requirement_; }
  /// Its values, each once.
  const std::unordered_set<std::string_view>& listed() const { return listed_; }
  bool operator()(std::optional<std::string_view> value) const;

 private:
  Requirement requirement_;
  std::unordered_set<std::string_view> listed_;
};

/// Go's base-10 int64, as Gt and Lt read labels and values: an optional sign, digits, no more.
std::optional<long long> parse_int64(std::string_view text);

}  // namespace cnsched::k8s
