#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/k8s/selector.h"

namespace cnsched::k8s {

/// Whether no node satisfies both requirements because of one label: In and NotIn sets, Exists and
/// DoesNotExist, intervals of Gt and Lt. False where one of them is satisfied by no node by itself,
/// which is a mistake of its own, and where a value is a placeholder.
bool exclude_each_other(const Requirement& a, const Requirement& b);

/// Requirements that one node has to satisfy all of, told apart by label.
class Conjunction {
 public:
  Conjunction() = default;
  /// What holds beside everything in `beneath`, which has to outlive this.
  explicit Conjunction(const Conjunction* beneath) : beneath_(beneath) {}

  /// Adds one more. If no node is left because of one label, those that rule it out together, the
  /// new one last; mostly two, more where it takes them all (In [a, b], NotIn [a], NotIn [b]).
  /// Otherwise nothing. Passes over what `exclude_each_other` does not judge.
  std::vector<Requirement> add(const Requirement& r);

 private:
  /// What the requirements so far leave of a label.
  struct Left {
    std::vector<Requirement> all;
    bool is_wanted = false;
    bool is_forbidden = false;
    std::optional<std::unordered_set<std::string_view>> values;  ///< what In leaves; else any
    std::unordered_set<std::string_view> refused;
    long long least = 0;
    long long most = std::numeric_limits<long long>::max();
    bool is_number = false;

    void add(const Requirement& r);
    bool allows(std::string_view value) const;
    void keep_what_is_allowed();
    bool is_nothing() const;
  };

  static bool is_contradictory(const std::vector<Requirement>& all);
  static std::vector<Requirement> culprits(const std::vector<Requirement>& all);
  Left& left_of(std::string_view key);

  const Conjunction* beneath_ = nullptr;
  std::unordered_map<std::string_view, Left> left_;
};

}  // namespace cnsched::k8s
