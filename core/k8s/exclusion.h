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
