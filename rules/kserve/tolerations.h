#pragma once

#include <fmt/format.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/label.h"
#include "core/workloads/toleration_change.h"
#include "core/workloads/workload.h"

namespace cnsched::rules {

/// A toleration that a pod has not, or no longer, although another part of it suggests it.
struct MissingToleration {
  k8s::Toleration toleration;
  std::string_view effect;  ///< of the taints that are not tolerated
};

/// Whether nodes of a certain kind are meant, and it is known which.
inline bool means_certain_nodes(const k8s::Toleration& t) {
  return !t.key.empty() && !t.key.starts_with("node.kubernetes.io/") &&
         !k8s::is_placeholder(t.key) && !k8s::is_placeholder(t.value);
}

/// What the list leaves untolerated of `wanted`. Who limits the time, or writes a toleration of the
/// same key for one effect, has decided on it; but no time at all is no toleration.
inline std::vector<MissingToleration> missing_tolerations(
    const std::vector<k8s::Toleration>& wanted, std::vector<k8s::Toleration> list) {
  for (k8s::Toleration& t : list) {
    if (t.seconds && *t.seconds > 0) t.seconds.reset();
  }
  const k8s::TolerationSet set(list);
  std::vector<MissingToleration> missing;
  for (const k8s::Toleration& t : wanted) {
    if (!means_certain_nodes(t)) continue;
    const auto effect = set.uncovered_effect(t);
    if (!effect || (t.effect.empty() && *effect == k8s::kNoExecute)) continue;
    missing.push_back({t, *effect});
  }
  return missing;
}

/// The tolerations that the admission plugin ExtendedResourceToleration adds to the pod.
inline std::vector<k8s::Toleration> added_by_admission(const k8s::PodSpec& pod) {
  std::vector<k8s::Toleration> added;
  for (const k8s::Container& container : pod.all_containers()) {
    for (const k8s::ResourceAmount& amount : container.amounts()) {
      if (!k8s::is_extended_resource(amount.name)) continue;
      added.push_back({amount.node, amount.name, "Exists", "", k8s::kNoSchedule});
    }
  }
  return added;
}

/// The taints that are not tolerated, as kubectl writes them.
inline std::string taint_text(const MissingToleration& missing) {
  const k8s::Toleration& t = missing.toleration;
  if (t.op == "Exists") return fmt::format("{}:{}", t.key, missing.effect);
  return fmt::format("{}={}:{}", t.key, t.value, missing.effect);
}

}  // namespace cnsched::rules
