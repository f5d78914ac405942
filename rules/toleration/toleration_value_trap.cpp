#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/accelerators/provider_taint.h"
#include "core/base/text.h"
#include "core/workloads/injected_placement.h"
#include "core/workloads/known_pools.h"
#include "core/workloads/pool_fit.h"
#include "rules/engine/each.h"
#include "rules/kserve/tolerations.h"
#include "rules/rule.h"
#include "rules/taint/pools.h"
#include "rules/toleration/value_trap.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule toleration_toleration_value_trap = {
    .id = "toleration-value-trap",
    .severity = Severity::warning,
    .summary = "an accelerator's taint tolerated with one value, though platforms differ",
    .why =
        "Where the taint has another value, the pod stays Pending with 'untolerated taint', "
        "unless admission (ExtendedResourceToleration) adds a toleration for a resource that the "
        "pod asks for. Platforms agree on the key of an accelerator's taint, and not on its "
        "value: GKE sets nvidia.com/gpu=present, Karpenter's examples true, others none at all. A "
        "toleration with operator Equal, which is the default, matches one value; with neither "
        "operator nor value it matches only a taint without a value. Operator Exists matches any "
        "value.\n\n"
        "The rule is silent where a node or node pool of the linted files, of those given by "
        "--cluster or of the configuration carries exactly that value, where the pod can only run "
        "on GKE and the value is GKE's, where admission is known to help or something else may "
        "add a toleration (a RuntimeClass, a Kueue queue, a hardware profile of Open Data Hub), "
        "and on DaemonSets.",
    .bad = R"(
tolerations:
- key: nvidia.com/gpu
  value: present
  effect: NoSchedule
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
tolerations:
- key: nvidia.com/gpu
  operator: Exists
  effect: NoSchedule
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    .check = check,
    .fix = Safety::unsafe,
};

using k8s::Toleration;

/// The tolerations of one taint key that match one value each.
using Group = std::vector<Toleration>;

static std::map<std::string_view, Group> groups_of(const Workload& workload) {
  const std::vector<Toleration> all = workload.pod.tolerations();
  std::set<std::pair<std::string_view, std::string_view>> free;  // key and effect, any value
  for (const Toleration& t : all) {
    if (t.op == "Exists") free.insert({t.key, t.effect});
  }
  const auto is_free = [&](const Toleration& t) {
    const std::string_view effect = t.effect.empty() ? k8s::kNoSchedule : t.effect;
    return free.contains({t.key, ""}) || free.contains({t.key, effect}) ||
           free.contains({"", ""}) || free.contains({"", effect});
  };
  std::map<std::string_view, Group> groups;
  for (const Toleration& t : all) {
    if (tolerates_one_value(t) && !is_free(t)) groups[t.key].push_back(t);
  }
  return groups;
}

/// Whether admission adds a toleration of any value for what the pod asks for, as far as that is
/// known.
static bool may_be_helped(const Workload& workload, const Group& group) {
  const Toleration& first = group.front();
  if (first.effect == k8s::kNoExecute) return false;
  if (workload.fragment || workload.is_incomplete()) return true;
  return std::ranges::any_of(added_by_admission(workload.pod),
                             [&](const Toleration& added) { return added.key == first.key; });
}

/// "the values 'true' and 'present'", of more than a few the first ones.
static std::string values_of(const Group& group) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> values;
  for (const Toleration& t : group) {
    if (values.size() == kShown) break;
    std::string value = fmt::format("'{}'", t.value);
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }
  return fmt::format("the value{} {}", values.size() == 1 ? "" : "s", join_words(values));
}

/// A pool of the run where the pod may go and whose taint of that key has another value; of several
/// the first by name.
static KnownPools::Tainted other_value(std::string_view key, const k8s::PodSpec& pod,
                                       const KnownPools& pools) {
  const NodeDemands demands(pod);
  for (const KnownPools::Tainted& tainted : pools.tainted_with(key)) {
    if (demands.fit(*tainted.pool) != Fit::no) return tainted;
  }
  return {};
}

static std::string tolerated_only(const Group& group) {
  if (group.size() == 1 && group.front().value.empty()) return "only without a value";
  return "only with " + values_of(group);
}

static const yaml::Node& place_of_value(const Toleration& t) {
  const yaml::Node& value = (*t.node)["value"];
  return value && !value.is_null() ? value : (*t.node)["key"];
}

/// Makes it tolerate any value; what says so stands where the value stood.
static void add_any_value(const Toleration& t, std::vector<yaml::Change>& changes, Report& report) {
  const yaml::Node& op = (*t.node)["operator"];
  const yaml::Node& value = (*t.node)["value"];
  const yaml::Node& exists = report.make_string("Exists");
  if (op) {
    changes.push_back(yaml::to_set(op, exists));
    if (value) changes.push_back(yaml::to_erase(value));
  } else if (value) {
    changes.push_back(yaml::to_rename(value, "operator"));
    changes.push_back(yaml::to_set(value, exists));
  } else {
    changes.push_back(yaml::to_add_entry(*t.node, "operator", exists));
  }
}

/// The first of each effect is made to tolerate any value; the others are of no use beside it.
static std::vector<yaml::Change> changes_of(const Group& group, Report& report) {
  std::set<std::pair<std::string_view, std::optional<std::int64_t>>> kept;  // effect, time
  std::vector<yaml::Change> changes;
  for (const Toleration& t : group) {
    if (kept.insert({t.effect, t.seconds}).second) {
      add_any_value(t, changes, report);
    } else {
      changes.push_back(yaml::to_erase(*t.node));
    }
  }
  return changes;
}

static void report_group(const Workload& workload, const Group& group, const KnownPools& pools,
                         Report& report) {
  constexpr std::size_t kMost = 10;
  const Toleration& first = group.front();
  const std::string_view hedge = may_be_helped(workload, group)
                                     ? ", unless admission (ExtendedResourceToleration) adds it"
                                     : "";
  const KnownPools::Tainted other = other_value(first.key, workload.pod, pools);
  const std::string consequence =
      other.pool != nullptr
          ? fmt::format("{} has it {}: the pod cannot run there", pool_called(*other.pool),
                        other.taint->value.empty()
                            ? "without one"
                            : fmt::format("with the value '{}'", other.taint->value))
          : "platforms use different values: with another value the pod stays Pending";
  auto finding = report.add(place_of_value(first), "the taint '{}' is tolerated {}, but {}{}",
                            first.key, tolerated_only(group), consequence, hedge);
  for (const Toleration& t : std::span(group).subspan(1, std::min(group.size() - 1, kMost))) {
    finding.note(place_of_value(t), "and this is another toleration of it");
  }
  if (other.pool != nullptr) {
    finding.note(place_of_taint(*other.taint), "the taint of {}", pool_called(*other.pool));
  }
  constexpr std::string_view kHelp =
      "write 'operator: Exists' and no value, which tolerates the taint with any value";
  finding.help("{}", kHelp);
  if (group.size() > kMost) return;  // nobody writes so many by hand
  finding.fix(Safety::unsafe, std::string(kHelp), changes_of(group, report));
}

/// Whether the pod may need a node with the taint: a CPU pod that nothing puts there does not.
static bool may_go_there(const Workload& workload) {
  return workload.fragment || workload.is_incomplete() || workload.is_led_somewhere() ||
         workload.pod.wants(k8s::is_extended_resource);
}

static void check_pod(const Workload& workload, const KnownPools& pools, Report& report) {
  if (workload.object->kind == "DaemonSet" || !workload.never_created.empty()) return;
  if (workload.fragment && report.run().is_built_on(*workload.object)) return;
  if (!may_go_there(workload) || gets_placement_from_others(workload)) return;
  for (const auto& [key, group] : groups_of(workload)) {
    const auto in_use = [&](const Toleration& t) {
      return pools.carries(t.key, t.value) ||
             accelerators::is_set_by_provider(t.key, t.value, workload.pod);
    };
    if (std::ranges::any_of(group, in_use)) continue;
    const bool helped = report.facts().extended_resource_toleration == true;
    if (helped && may_be_helped(workload, group)) continue;
    report_group(workload, group, pools, report);
  }
}

static void check(const Workspace& run, Report& report) {
  KnownPoolsOf known;
  each_linted_pod(run, report, [&](const Workload& workload) {
    check_pod(workload, known[report.facts()], report);
  });
}

}  // namespace cnsched::rules
