#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/selector.h"
#include "core/sim/running_pods.h"

namespace cnsched::sim {

/// The PodDisruptionBudgets of a cluster. Those in manifests have no status yet and count for
/// nothing.
class DisruptionBudgets {
 public:
  explicit DisruptionBudgets(const std::vector<const k8s::Object*>& objects);

  /// The names of the budgets that the eviction of each pod violates if all pods are evicted in
  /// this order.
  std::vector<std::vector<std::string_view>> violated_by(
      const std::vector<const RunningPod*>& pods) const;

 private:
  struct Budget {
    std::string_view name;
    std::vector<k8s::ValueMatcher> selector;
    std::int64_t allowed = 0;
    std::unordered_set<std::string_view> disrupted;  ///< names of pods whose eviction is under way

    bool counts(const Pod& pod) const;
  };

  std::map<std::string_view, std::vector<Budget>> by_namespace_;
};

}  // namespace cnsched::sim
