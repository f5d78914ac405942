#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/truth.h"
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
  /// The same for a node that may have other labels as well, unless they are `complete`.
  Truth matches(const std::vector<Label>& labels, bool complete) const;
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

/// Whether no node satisfies both requirements because of one label: In and NotIn sets, Exists and
/// DoesNotExist, intervals of Gt and Lt. False also if no node satisfies one of them alone
/// (another mistake), or if a value is a placeholder.
bool exclude_each_other(const Requirement& a, const Requirement& b);

/// Requirements that a node must satisfy together, by label.
class Conjunction {
 public:
  Conjunction() = default;
  /// Starts with the requirements of `base`, which must outlive this.
  explicit Conjunction(const Conjunction* base) : base_(base) {}

  /// Adds a requirement. If it and others on its label now admit no node, returns the
  /// conflicting ones, the new one last: usually two, more if only more conflict (In [a, b], NotIn
  /// [a], NotIn [b]). Otherwise returns nothing. Ignores requirements that `exclude_each_other`
  /// ignores.
  std::vector<Requirement> add(const Requirement& r);

 private:
  /// The states of a label that the requirements so far admit.
  struct Admitted {
    std::vector<Requirement> all;
    bool is_required = false;
    bool is_forbidden = false;
    std::optional<std::unordered_set<std::string_view>> values;  ///< admitted by In; nothing: any
    std::unordered_set<std::string_view> excluded;
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    bool is_number = false;

    void add(const Requirement& r);
    bool allows(std::string_view value) const;
    void drop_excluded_values();
    bool is_empty() const;
  };

  static bool is_contradictory(const std::vector<Requirement>& all);
  static std::vector<Requirement> conflicting(const std::vector<Requirement>& all);
  Admitted& admitted_for(std::string_view key);

  const Conjunction* base_ = nullptr;
  std::unordered_map<std::string_view, Admitted> admitted_;
};

}  // namespace cnsched::k8s
