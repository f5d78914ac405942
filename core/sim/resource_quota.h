#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/sim/cluster.h"
#include "core/sim/pod.h"
#include "core/workspace/namespace_policy.h"

namespace cnsched::sim {

/// What one pod uses of each quota that applies to it.
struct QuotaDemand {
  QuotaAmounts usage;
  std::vector<const k8s::Object*> quotas;  ///< by name
  /// Why a quota rejects the pod whatever is in use: "failed quota: q: must specify limits.cpu for:
  /// c". Empty if none does.
  std::string failed;
  const k8s::Object* failed_by = nullptr;
  /// Whether a LimitRange that is not given might set the amounts.
  bool is_default_assumed = false;
};
QuotaDemand quota_demand(const Pod& pod, const NamespacePolicy& policy, const Cluster& cluster);

/// How many pods of one kind the quotas admit, one after another.
struct QuotaOutcome {
  std::int64_t admitted = 0;
  /// Why not the next one, in the API server's words: "exceeded quota: q, requested: pods=1, used:
  /// pods=4, limited: pods=4". Empty if all are admitted.
  std::string rejected;
  const k8s::Object* by = nullptr;
  /// What would have to be known to say that all of `admitted` are; empty if it is.
  std::string unknown;
};

/// The ResourceQuotas of a cluster and what is used of them.
class QuotaLedger {
 public:
  /// With what is in use, or, in the lasting view, with unused quotas.
  explicit QuotaLedger(const Cluster& cluster) : cluster_(&cluster) {}

  QuotaOutcome outcome(const QuotaDemand& demand, std::int64_t pods);
  void charge(const QuotaDemand& demand, std::int64_t pods);

 private:
  struct State {
    QuotaAmounts hard;
    QuotaAmounts used;  ///< what is given, or known
    bool is_used_known = true;
  };
  State& state_of(const k8s::Object& quota);
  void count_running_pods(const k8s::Object& quota, State& state) const;

  const Cluster* cluster_;
  std::map<const k8s::Object*, State> states_;
};

}  // namespace cnsched::sim
