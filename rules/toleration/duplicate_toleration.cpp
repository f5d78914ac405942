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
    .summary = "a toleration that another one of the same list makes redundant",
    .why =
        "The API server accepts repetitions, and they are harmless until somebody removes one of "
        "the two to keep the pod off those nodes, and nothing changes. An entry is redundant if "
        "another tolerates all that it does: it is the same, has operator Exists where this one "
        "names a value, or leaves out the effect that this one names. Entries with different "
        "tolerationSeconds are not compared, nor lists that a controller merges.",
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
};

using k8s::Toleration;

/// What makes two tolerations the same: key, operator, value, effect and time.
using Sameness = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                            std::optional<std::int64_t>>;

static Sameness sameness_of(const Toleration& t) {
  return {t.key, t.op, t.value, t.effect, t.seconds};
}

/// One that the API server takes, and of which all is known. Without a key it tolerates everything,
/// which is another mistake.
static bool can_be_compared(const Toleration& t) {
  const yaml::Node& seconds = (*t.node)["tolerationSeconds"];
  const bool known_time = !seconds || seconds.is_null() || t.seconds;
  return known_time && !t.key.empty() && !k8s::is_placeholder(t.key) &&
         !k8s::is_placeholder(t.value) && (t.effect.empty() || k8s::is_taint_effect(t.effect)) &&
         (t.op == "Equal" || (t.op == "Exists" && t.value.empty()));
}

namespace {

/// A toleration that tolerates more than another, all that it does included.
struct Wider {
  const yaml::Node* node = nullptr;  ///< null if there is none
  std::string_view of;               ///< "any value": what it tolerates more
};

/// The tolerations of one list, by what they tolerate.
class Listed {
 public:
  explicit Listed(const std::vector<Toleration>& tolerations) {
    for (const Toleration& t : tolerations) {
      if (can_be_compared(t)) first_.try_emplace(sameness_of(t), t.node);
    }
  }

  /// The first that is the same, or null if `t` is that itself.
  const yaml::Node* same(const Toleration& t) const {
    const yaml::Node* found = first_.at(sameness_of(t));
    return found == t.node ? nullptr : found;
  }
  Wider wider(const Toleration& t) const {
    const auto find = [&](bool any_value, bool any_effect) -> const yaml::Node* {
      Toleration other = t;
      if (any_value) other.op = "Exists";
      if (any_value) other.value = {};
      if (any_effect) other.effect = {};
      if (sameness_of(other) == sameness_of(t)) return nullptr;
      const auto found = first_.find(sameness_of(other));
      return found == first_.end() ? nullptr : found->second;
    };
    if (const yaml::Node* node = find(true, false)) return {node, "any value"};
    if (const yaml::Node* node = find(false, true)) return {node, "any effect"};
    return {find(true, true), "any value and effect"};
  }

 private:
  std::map<Sameness, const yaml::Node*> first_;
};

}  // namespace

static void check(const Workload& workload, Report& report) {
  if (!workload.takes_placement_advice()) return;
  const std::vector<Toleration> tolerations = workload.own.tolerations();
  const Listed listed(tolerations);
  for (const Toleration& t : tolerations) {
    if (!can_be_compared(t)) continue;
    if (const yaml::Node* same = listed.same(t)) {
      report.add((*t.node)["key"], "the list has this toleration of '{}' already", t.key)
          .note((*same)["key"], "here it is")
          .help("remove one of them")
          .fix(Safety::safe, "remove it", {yaml::to_erase(*t.node)});
    } else if (const Wider wider = listed.wider(t); wider.node != nullptr) {
      report
          .add((*t.node)["key"], "another toleration of '{}' covers all that this one tolerates",
               t.key)
          .note((*wider.node)["key"], "this one tolerates {}", wider.of)
          .help("remove this one, or the other if it tolerates too much")
          .fix(Safety::safe, "remove it", {yaml::to_erase(*t.node)});
    }
  }
}

}  // namespace cnsched::rules
