#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/accelerators/card.h"
#include "core/accelerators/machine_type.h"
#include "core/accelerators/node_trait.h"
#include "core/accelerators/platform.h"
#include "core/base/text.h"
#include "core/facts/known_pools.h"
#include "core/k8s/admission.h"
#include "core/workspace/workload.h"
#include "rules/common/tolerations.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::toleration_value_trap {

using k8s::Toleration;

/// The tolerations of one taint key, each of which matches one value.
using Group = std::vector<Toleration>;

static std::map<std::string_view, Group> groups_of(const Workload& workload) {
  const std::vector<Toleration> all = workload.pod.tolerations();
  std::set<std::pair<std::string_view, std::string_view>>
      any_value;  // key and effect with any value
  for (const Toleration& t : all) {
    if (t.op == "Exists") any_value.insert({t.key, t.effect});
  }
  const auto has_any_value = [&](const Toleration& t) {
    const std::string_view effect = t.effect.empty() ? k8s::kNoSchedule : t.effect;
    return any_value.contains({t.key, ""}) || any_value.contains({t.key, effect}) ||
           any_value.contains({"", ""}) || any_value.contains({"", effect});
  };
  std::map<std::string_view, Group> groups;
  for (const Toleration& t : all) {
    if (tolerates_one_value(t) && !has_any_value(t)) groups[t.key].push_back(t);
  }
  return groups;
}

/// Whether admission adds, or may add, a toleration of any value for a resource that the pod
/// requests.
static bool admission_may_add(const Workload& workload, const Group& group) {
  const Toleration& first = group.front();
  if (first.effect == k8s::kNoExecute) return false;
  if (workload.fragment || workload.is_incomplete()) return true;
  return std::ranges::any_of(k8s::resource_tolerations(workload.pod),
                             [&](const Toleration& added) { return added.key == first.key; });
}

/// "the values 'true' and 'present'"; of many values the first four.
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

/// A known pool that the pod may run on and whose taint of that key has another value; of several
/// the first by name.
static facts::KnownPools::Tainted other_value(std::string_view key, const k8s::PodSpec& pod,
                                              const facts::KnownPools& pools) {
  const k8s::NodeRequirements required(pod);
  for (const facts::KnownPools::Tainted& tainted : pools.tainted_with(key)) {
    if (tainted.pool->meets(required) != Truth::no) return tainted;
  }
  return {};
}

namespace {

/// The pools of all clusters of the files: which files are for one cluster is often a guess.
class AllPools {
 public:
  explicit AllPools(const Workspace& workspace) : workspace_(workspace) {}

  /// Whether a pool that the pod may run on has the taint with exactly that value.
  bool have(const Toleration& t, const k8s::PodSpec& pod) {
    if (workspace_.scopes().size() < 2) return false;
    if (!known_) {
      for (const k8s::Object& object : workspace_.objects()) {
        std::ranges::move(facts::node_pools_in(object), std::back_inserter(pools_));
      }
      known_.emplace(pools_);
    }
    if (!known_->carries(t.key, t.value)) return false;
    const k8s::NodeRequirements required(pod);
    return std::ranges::any_of(known_->tainted_with(t.key), [&](const auto& tainted) {
      return tainted.taint->value == t.value && tainted.pool->meets(required) != Truth::no;
    });
  }

 private:
  const Workspace& workspace_;
  std::vector<facts::NodePool> pools_;
  std::optional<facts::KnownPools> known_;
};

}  // namespace

/// Whether the value is a machine type or a family of them: "g5.2xlarge", "g5", "a2-highgpu".
static bool names_machines(std::string_view value) {
  return !value.empty() &&
         std::ranges::any_of(accelerators::machine_types(), [&](const auto& machine) {
           if (!machine.name.starts_with(value)) return false;
           const std::string_view rest = machine.name.substr(value.size());
           return rest.empty() || rest.front() == '.' || rest.front() == '-';
         });
}

/// Whether the value tells cards apart, so that a pod with any value could run on another card.
static bool names_product(std::string_view value) {
  return accelerators::card_in(value) || accelerators::product_named(value) != nullptr ||
         names_machines(value);
}

static std::string tolerated_only(const Group& group) {
  if (group.size() == 1 && group.front().value.empty()) return "only without a value";
  return "only with " + values_of(group);
}

static const yaml::Node& place_of_value(const Toleration& t) {
  const yaml::Node& value = (*t.node)["value"];
  return value && !value.is_null() ? value : (*t.node)["key"];
}

/// Replaces the value by operator Exists, at the place of the value.
static void add_any_value(const Toleration& t, std::vector<yaml::Change>& changes,
                          Findings& findings) {
  const yaml::Node& op = (*t.node)["operator"];
  const yaml::Node& value = (*t.node)["value"];
  const yaml::Node& exists = findings.make_string("Exists");
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

/// Makes the first toleration of each effect match any value and removes the others, which become
/// redundant.
static std::vector<yaml::Change> changes_of(const Group& group, Findings& findings) {
  std::set<std::pair<std::string_view, std::optional<std::int64_t>>> kept;  // effect, time
  std::vector<yaml::Change> changes;
  for (const Toleration& t : group) {
    if (kept.insert({t.effect, t.seconds}).second) {
      add_any_value(t, changes, findings);
    } else {
      changes.push_back(yaml::to_erase(*t.node));
    }
  }
  return changes;
}

static void report_group(const Workload& workload, const Group& group,
                         const facts::KnownPools::Tainted& other, Findings& findings) {
  constexpr std::size_t kMaxTolerations = 10;
  const Toleration& first = group.front();
  const std::string_view hedge =
      admission_may_add(workload, group)
          ? " unless the admission plugin ExtendedResourceToleration adds the toleration"
          : "";
  const std::string consequence =
      other.pool != nullptr
          ? fmt::format("{} has it {}, so the pod cannot run there", pool_called(*other.pool),
                        other.taint->value.empty()
                            ? "without a value"
                            : fmt::format("with the value '{}'", other.taint->value))
          : "platforms set different values: with another value the pod stays Pending";
  auto finding =
      findings.add(place_of_value(first), "the pod tolerates the taint '{}' {}, but {}{}",
                   first.key, tolerated_only(group), consequence, hedge);
  for (const Toleration& t :
       std::span(group).subspan(1, std::min(group.size() - 1, kMaxTolerations))) {
    finding.note(place_of_value(t), "another toleration of the taint");
  }
  if (other.pool != nullptr) {
    finding.note(place_of_taint(*other.taint), "the taint of {}", pool_called(*other.pool));
  }
  constexpr std::string_view kHelp =
      "write 'operator: Exists' without a value, which matches any value";
  finding.help("{}", kHelp);
  if (group.size() > kMaxTolerations) return;  // longer lists are not written by hand
  finding.fix(Safety::unsafe, std::string(kHelp), changes_of(group, findings));
}

/// Whether the pod may need a node with the taint. A CPU pod without placement constraints does
/// not.
static bool may_need_tainted_node(const Workload& workload) {
  return workload.fragment || workload.is_incomplete() || workload.has_placement_constraint() ||
         workload.pod.requests_resource(k8s::is_extended_resource);
}

static void check_pod(const Workload& workload, const facts::KnownPools& pools, AllPools& all,
                      Findings& findings) {
  if (!may_need_tainted_node(workload) || gets_placement_from_others(workload)) return;
  for (const auto& [key, group] : groups_of(workload)) {
    const auto in_use = [&](const Toleration& t) {
      return pools.carries(t.key, t.value) ||
             accelerators::is_provider_taint(t.key, t.value, workload.pod) ||
             names_product(t.value);
    };
    if (std::ranges::any_of(group, in_use)) continue;
    const bool admission_adds = findings.facts().extended_resource_toleration == true;
    if (admission_adds && admission_may_add(workload, group)) continue;
    const facts::KnownPools::Tainted other = other_value(key, workload.pod, pools);
    const auto is_elsewhere = [&](const Toleration& t) { return all.have(t, workload.pod); };
    if (other.pool == nullptr && std::ranges::any_of(group, is_elsewhere)) continue;
    report_group(workload, group, other, findings);
  }
}

static void check(const ClusterScope& scope, Findings& findings) {
  facts::KnownPoolsOf known;
  AllPools all(scope.workspace());
  each_linted_pod(scope, findings, Domain::built | Domain::scheduled | Domain::unused_parts,
                  [&](const Workload& workload) {
                    check_pod(workload, known[findings.facts()], all, findings);
                  });
}

extern constinit const Rule rule = {
    .id = "toleration-value-trap",
    .severity = Severity::warning,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::toleration_value_trap
