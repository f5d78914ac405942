#pragma once

#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/k8s/label.h"
#include "core/workloads/cluster_facts.h"

namespace cnsched::rules {

/// Whether it tolerates an accelerator's taint with one value only, or without one.
inline bool tolerates_one_value(const k8s::Toleration& t) {
  const yaml::Node& value = (*t.node)["value"];
  const bool is_refused = value.is_scalar() && !value.is_string();  // true without quotes
  return !is_refused && t.op == "Equal" && accelerators::is_accelerator(t.key) &&
         (t.effect.empty() || t.effect == k8s::kNoSchedule || t.effect == k8s::kNoExecute) &&
         !k8s::is_placeholder(t.key) && !k8s::is_placeholder(t.value);
}

/// Whether nodes of the run carry the taint with exactly that value.
inline bool is_value_in_use(const k8s::Toleration& t, const ClusterFacts& facts) {
  return std::ranges::any_of(facts.pools, [&](const NodePool& pool) {
    return std::ranges::any_of(pool.taints, [&](const k8s::Taint& taint) {
      return taint.key == t.key && taint.value == t.value;
    });
  });
}

}  // namespace cnsched::rules
