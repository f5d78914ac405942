#include "core/facts/known_pools.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/facts/pool_fit.h"
#include "core/facts/pool_platform.h"

namespace cnsched::facts {

KnownPools::Pool::Pool(const NodePool& described)
    : pool(&described),
      taints(repelling_taints(described, {})),
      first_taint(taints.empty() ? "" : to_string(taints.front())),
      extended_resource_toleration(has_extended_resource_toleration(described)) {}

KnownPools::KnownPools(const std::vector<NodePool>& pools) {
  for (const NodePool& pool : pools) {
    for (const k8s::Taint& taint : pool.taints) {
      values_.insert({taint.key, taint.value});
      if (taint.repels()) tainted_[taint.key].push_back({&pool, &taint});
    }
    for (const k8s::Label& label : pool.labels) {
      labelled_[{label.key, label.value}].push_back(&pool);
    }
    if (may_get_accelerators(pool)) perhaps_.emplace_back(pool);
    if (pool.vendor != nullptr) with_accelerators_.emplace_back(pool);
  }
  std::ranges::stable_sort(with_accelerators_, {}, [](const Pool& p) {
    return std::pair(std::string_view(p.first_taint), std::string_view(p.pool->name));
  });
  for (auto& [key, tainted] : tainted_) {
    std::ranges::stable_sort(tainted, {}, [](const Tainted& t) { return t.pool->name; });
  }
}

std::span<const KnownPools::Tainted> KnownPools::tainted_with(std::string_view key) const {
  const auto found = tainted_.find(key);
  if (found == tainted_.end()) return {};
  return found->second;
}

std::span<const NodePool* const> KnownPools::labelled(const k8s::Label& label) const {
  const auto found = labelled_.find({label.key, label.value});
  if (found == labelled_.end()) return {};
  return found->second;
}

}  // namespace cnsched::facts
