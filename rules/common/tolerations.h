#pragma once

#include <fmt/format.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/k8s/label.h"
#include "core/k8s/taint.h"
#include "core/workspace/toleration_change.h"
#include "core/workspace/workload.h"

namespace cnsched::rules {

/// A toleration that a pod does not have, although another layer or pod of its object does.
struct MissingToleration {
  k8s::Toleration toleration;
  std::string_view effect;  ///< of the taints that are not tolerated
};

/// Whether the toleration is for nodes of a certain, known kind.
inline bool names_certain_nodes(const k8s::Toleration& t) {
  return !t.key.empty() && !t.key.starts_with("node.kubernetes.io/") &&
         !k8s::is_placeholder(t.key) && !k8s::is_placeholder(t.value);
}

/// The tolerations of `wanted` that `list` does not cover. A limited time, or a toleration of the
/// same key for one effect, counts as covered because the author decided on it; a time of 0 does
/// not.
inline std::vector<MissingToleration> missing_tolerations(
    const std::vector<k8s::Toleration>& wanted, std::vector<k8s::Toleration> list) {
  for (k8s::Toleration& t : list) {
    if (t.seconds && *t.seconds > 0) t.seconds.reset();
  }
  const k8s::TolerationSet set(list);
  std::vector<MissingToleration> missing;
  for (const k8s::Toleration& t : wanted) {
    if (!names_certain_nodes(t)) continue;
    const auto effect = set.uncovered_effect(t);
    if (!effect || (t.effect.empty() && *effect == k8s::kNoExecute)) continue;
    missing.push_back({t, *effect});
  }
  return missing;
}

/// The taint that is not tolerated, as kubectl writes it.
inline std::string taint_text(const MissingToleration& missing) {
  const k8s::Toleration& t = missing.toleration;
  if (t.op == "Exists") return fmt::format("{}:{}", t.key, missing.effect);
  return fmt::format("{}={}:{}", t.key, t.value, missing.effect);
}

/// Whether the toleration matches an accelerator's taint with one value only, or without a value.
inline bool tolerates_one_value(const k8s::Toleration& t) {
  const yaml::Node& value = (*t.node)["value"];
  const bool is_wrong_type = value.is_scalar() && !value.is_string();  // true without quotes
  return !is_wrong_type && t.op == "Equal" && accelerators::is_accelerator(t.key) &&
         (t.effect.empty() || t.effect == k8s::kNoSchedule || t.effect == k8s::kNoExecute) &&
         !k8s::is_placeholder(t.key) && !k8s::is_placeholder(t.value);
}

}  // namespace cnsched::rules
