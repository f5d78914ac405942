#include "core/k8s/taint.h"

#include <algorithm>

namespace cnsched::k8s {

namespace {

/// Other APIs' spellings of an effect: GKE's NO_SCHEDULE, EKS's and ECK's no-schedule.
std::string_view canonical_effect(std::string_view effect) {
  if (effect == "NO_SCHEDULE" || effect == "no-schedule") return kNoSchedule;
  if (effect == "PREFER_NO_SCHEDULE" || effect == "prefer-no-schedule") return kPreferNoSchedule;
  if (effect == "NO_EXECUTE" || effect == "no-execute") return kNoExecute;
  return effect;
}

}  // namespace

bool is_taint_effect(std::string_view effect) {
  return effect == kNoSchedule || effect == kPreferNoSchedule || effect == kNoExecute;
}

std::vector<Taint> taints_in(const yaml::Node& list) {
  std::vector<Taint> taints;
  for (const yaml::Node* item : list.items) {
    if (!item->is_mapping()) continue;
    taints.push_back({item, (*item)["key"].scalar(), (*item)["value"].scalar(),
                      canonical_effect((*item)["effect"].scalar())});
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
  for (const yaml::Node* item : list.items) {
    if (!item->is_mapping()) continue;
    const std::string_view op = (*item)["operator"].scalar();
    tolerations.push_back({item, (*item)["key"].scalar(), op.empty() ? "Equal" : op,
                           (*item)["value"].scalar(), (*item)["effect"].scalar()});
  }
  return tolerations;
}

bool tolerated(const Taint& taint, const std::vector<Toleration>& tolerations) {
  return std::ranges::any_of(tolerations, [&](const Toleration& t) { return t.tolerates(taint); });
}

}  // namespace cnsched::k8s
