#include "core/k8s/taint.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/yaml/scalar.h"

namespace cnsched::k8s {

namespace {

/// Other APIs' spellings of an effect: GKE's NO_SCHEDULE, EKS's and ECK's no-schedule.
std::string_view canonical_effect(std::string_view effect) {
  if (effect == "NO_SCHEDULE" || effect == "no-schedule") return kNoSchedule;
  if (effect == "PREFER_NO_SCHEDULE" || effect == "prefer-no-schedule") return kPreferNoSchedule;
  if (effect == "NO_EXECUTE" || effect == "no-execute") return kNoExecute;
  return effect;
}

/// How long a NoExecute taint is tolerated; zero and less evict at once.
std::int64_t tolerated_seconds(const Toleration& t) {
  if (!t.seconds) return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(*t.seconds, 0);
}

}  // namespace

bool is_taint_effect(std::string_view effect) {
  return effect == kNoSchedule || effect == kPreferNoSchedule || effect == kNoExecute;
}

std::string to_string(const Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     taint.effect);
}

std::vector<Taint> taints_in(const yaml::Node& list) {
  std::vector<Taint> taints;
  for (const yaml::Node* item : list.items()) {
    if (!item->is_mapping()) continue;
    taints.push_back({item, (*item)["key"].text(), (*item)["value"].text(),
                      canonical_effect((*item)["effect"].text())});
  }
  return taints;
}

bool Toleration::tolerates(const Taint& taint) const {
  if (!effect.empty() && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (op == "Exists") return true;
  return op == "Equal" && value == taint.value;
}

std::vector<Toleration> tolerations_in(const yaml::Node& list) {
  std::vector<Toleration> tolerations;
  for (const yaml::Node* item : list.items()) {
    if (!item->is_mapping()) continue;
    const std::string_view op = (*item)["operator"].text();
    tolerations.push_back({item, (*item)["key"].text(), op.empty() ? "Equal" : op,
                           (*item)["value"].text(), (*item)["effect"].text(),
                           yaml::integer_of((*item)["tolerationSeconds"])});
  }
  return tolerations;
}

bool tolerated(const Taint& taint, const std::vector<Toleration>& tolerations) {
  return std::ranges::any_of(tolerations, [&](const Toleration& t) { return t.tolerates(taint); });
}

TolerationSet::TolerationSet(const std::vector<Toleration>& tolerations) {
  for (const Toleration& t : tolerations) {
    std::int64_t& longest =
        seconds_.try_emplace({t.key, t.op, t.op == "Exists" ? "" : t.value, t.effect}, 0)
            .first->second;
    longest = std::max(longest, tolerated_seconds(t));
  }
}

std::optional<std::string_view> TolerationSet::uncovered_effect(const Toleration& other) const {
  for (const std::string_view effect : {kNoSchedule, kNoExecute}) {
    if (!other.effect.empty() && other.effect != effect) continue;
    if (!covers(other, effect)) return effect;
  }
  return std::nullopt;
}

/// Whether one of these alone tolerates every taint of this effect that `other` tolerates. Keys and
/// values are unlimited, so several tolerations of one value each never cover all.
bool TolerationSet::covers(const Toleration& other, std::string_view effect) const {
  const std::int64_t needed = effect == kNoExecute ? tolerated_seconds(other) : 0;
  const auto has = [&](std::string_view key, std::string_view op, std::string_view value) {
    return std::ranges::any_of(std::array{effect, std::string_view()}, [&](auto written) {
      const auto found = seconds_.find({key, op, value, written});
      return found != seconds_.end() && found->second >= needed;
    });
  };
  const std::string_view value = other.op == "Exists" ? "" : other.value;
  return has(other.key, other.op, value) || has(other.key, "Exists", "") || has("", "Exists", "");
}

bool is_node_state_taint(std::string_view key) {
  return key.starts_with("node.kubernetes.io/") ||
         key.starts_with("node.cloudprovider.kubernetes.io/") || key.starts_with("karpenter.sh/") ||
         key.ends_with("/agent-not-ready") || key == "ToBeDeletedByClusterAutoscaler" ||
         key == "DeletionCandidateOfClusterAutoscaler";
}

bool is_control_plane_taint(std::string_view key) {
  return key == "node-role.kubernetes.io/control-plane" || key == "node-role.kubernetes.io/master";
}

bool reserves_nodes(std::string_view key) {
  return is_control_plane_taint(key) || key.find("kaito.sh/") != std::string_view::npos;
}

bool is_managed_taint(std::string_view key) {
  if (key.starts_with("node-role.kubernetes.io/")) return is_control_plane_taint(key);
  return is_node_state_taint(key) || key.find("kubernetes.io/") != std::string_view::npos ||
         key.starts_with("karpenter.kaito.sh/") || key.starts_with("kaito.sh/") ||
         key == "CriticalAddonsOnly";
}

bool is_set_by_aks(std::string_view key) { return key.starts_with("kubernetes.azure.com/"); }

}  // namespace cnsched::k8s
