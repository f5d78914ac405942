#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "core/k8s/label.h"
#include "core/k8s/taint.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule toleration_duplicate_toleration = {
    .id = "duplicate-toleration",
    .severity = Severity::info,
    .summary = "a toleration that another toleration of the same list makes redundant",
    .why =
        "The pod keeps running on the tainted nodes after somebody removes one of the two "
        "tolerations to keep it away, because the other one remains. The API server accepts "
        "repeated tolerations. A toleration is redundant if another one in the list is identical, "
        "has operator Exists instead of a value, or leaves out the effect.",
    .limits =
        "Tolerations with different tolerationSeconds are not compared, because they evict the pod "
        "at different times. Lists of different objects that a controller merges are not compared "
        "either. A toleration without a key is reported by toleration-of-everything, and one that "
        "the API server rejects by invalid-toleration. Only model servers and pods that request, "
        "select or tolerate an accelerator are checked.",
    .bad = R"(
tolerations:
- {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
- {key: nvidia.com/gpu, operator: Equal, value: present, effect: NoSchedule}
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
tolerations:
- {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    .check = check,
    .fix = Safety::safe,
    .admission =
        AdmissionCheck{
            .infos = R"cel(
!takes_placement_advice(pod) ? [] :
[pod.tolerations.filter(t, t.key != '' && !is_placeholder(t.key) && !is_placeholder(t.value) && t.effect in ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'] &&
  (t.operator == 'Equal' || t.operator == 'Exists' && t.value == ''))].map(all, all.map(t,
  all.filter(u, u == t).size() > 1 ? "toleration of '" + t.key + "' repeats another toleration of the list; remove one of the two" :
  all.exists(u, u != t && u.key == t.key && u.seconds == t.seconds && (u.operator == 'Exists' || u.operator == t.operator && u.value == t.value) && (u.effect == '' || u.effect == t.effect)) ?
  "toleration of '" + t.key + "' is redundant: another toleration of the list matches the same taints and more; remove this toleration, or the other one if it matches too much" : '').join('\n')))cel",
        },
};

using k8s::Toleration;

/// Key, operator, value, effect and time: equal for identical tolerations.
using TolerationKey = std::tuple<std::string_view, std::string_view, std::string_view,
                                 std::string_view, std::optional<std::int64_t>>;

static TolerationKey key_of(const Toleration& t) {
  return {t.key, t.op, t.value, t.effect, t.seconds};
}

/// Whether the API server accepts the toleration and all its values are known. A toleration without
/// a key is left to toleration-of-everything.
static bool is_comparable(const Toleration& t) {
  const yaml::Node& seconds = (*t.node)["tolerationSeconds"];
  const bool known_time = !seconds || seconds.is_null() || t.seconds;
  return known_time && !t.key.empty() && !k8s::is_placeholder(t.key) &&
         !k8s::is_placeholder(t.value) && (t.effect.empty() || k8s::is_taint_effect(t.effect)) &&
         (t.op == "Equal" || (t.op == "Exists" && t.value.empty()));
}

namespace {

/// A toleration that matches all taints that another one matches, and more.
struct Broader {
  const yaml::Node* node = nullptr;  ///< null if there is none
  std::string_view of;               ///< what it matches: "any value"
};

/// Index of the tolerations of one list.
class TolerationIndex {
 public:
  explicit TolerationIndex(const std::vector<Toleration>& tolerations) {
    for (const Toleration& t : tolerations) {
      if (is_comparable(t)) first_.try_emplace(key_of(t), t.node);
    }
  }

  /// The first identical toleration, or null if that is `t` itself.
  const yaml::Node* same(const Toleration& t) const {
    const yaml::Node* found = first_.at(key_of(t));
    return found == t.node ? nullptr : found;
  }
  Broader broader(const Toleration& t) const {
    const auto find = [&](bool any_value, bool any_effect) -> const yaml::Node* {
      Toleration other = t;
      if (any_value) other.op = "Exists";
      if (any_value) other.value = {};
      if (any_effect) other.effect = {};
      if (key_of(other) == key_of(t)) return nullptr;
      const auto found = first_.find(key_of(other));
      return found == first_.end() ? nullptr : found->second;
    };
    if (const yaml::Node* node = find(true, false)) return {node, "any value"};
    if (const yaml::Node* node = find(false, true)) return {node, "any effect"};
    return {find(true, true), "any value and effect"};
  }

 private:
  std::map<TolerationKey, const yaml::Node*> first_;
};

}  // namespace

static void check(const Workload& workload, Report& report) {
  if (!workload.takes_placement_advice()) return;
  const std::vector<Toleration> tolerations = workload.own.tolerations();
  const TolerationIndex index(tolerations);
  for (const Toleration& t : tolerations) {
    if (!is_comparable(t)) continue;
    if (const yaml::Node* same = index.same(t)) {
      report
          .add((*t.node)["key"], "toleration of '{}' repeats another toleration of the list", t.key)
          .note((*same)["key"], "the first one")
          .help("remove one of the two")
          .fix(Safety::safe, "remove the toleration", {yaml::to_erase(*t.node)});
    } else if (const Broader broader = index.broader(t); broader.node != nullptr) {
      report
          .add((*t.node)["key"],
               "toleration of '{}' is redundant: another toleration of the list matches the same "
               "taints and more",
               t.key)
          .note((*broader.node)["key"], "this toleration matches {}", broader.of)
          .help("remove this toleration, or the other one if it matches too much")
          .fix(Safety::safe, "remove the toleration", {yaml::to_erase(*t.node)});
    }
  }
}

}  // namespace cnsched::rules
