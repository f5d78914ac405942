#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/taint.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::gpu_node_untainted {

/// Whether the taint is intended to keep pods away. The effect may be misspelt, which invalid-taint
/// reports.
static bool is_repelling(const k8s::Taint& taint) {
  return taint.effect != k8s::kPreferNoSchedule && !k8s::is_node_state_taint(taint.key);
}

static std::string_view value_of(std::string_view key, const facts::NodePool& pool) {
  const auto label = std::ranges::find(pool.labels, key, &k8s::Label::key);
  return label == pool.labels.end() ? std::string_view() : label->value;
}

/// Whether a controller decides which pods run there, or sets the taint when the nodes start.
static bool is_managed_elsewhere(const facts::NodePool& pool) {
  return pool.object->kind == "GCPManagedMachinePool" ||
         std::ranges::any_of(
             pool.labels, [](const k8s::Label& label) { return k8s::reserves_nodes(label.key); });
}

/// Whether the pool is of a kind that may list all nodes of the cluster: Nodes and node groups of
/// eksctl. A cluster with another kind of pool has further nodes.
static bool may_be_whole_cluster(const facts::NodePool& pool) {
  return pool.object->kind == "Node" || pool.object->kind == "ClusterConfig";
}

static bool is_untainted(const facts::NodePool& pool, bool others_known) {
  if (pool.vendor == nullptr || std::ranges::any_of(pool.taints, is_repelling)) return false;
  return !is_managed_elsewhere(pool) && (others_known || !may_be_whole_cluster(pool));
}

/// Equal for nodes of one pool with the same evidence of accelerators.
using GroupKey = std::tuple<std::string, std::string, std::string>;

static GroupKey group_key_of(const facts::NodePool& pool) {
  std::string of_pool;
  for (const std::string_view key : k8s::kPoolLabels)
    of_pool += fmt::format("{}/", value_of(key, pool));
  const yaml::Node* key = pool.evidence->key();
  return {of_pool, key == nullptr ? "" : std::string(key->text()),
          std::string(pool.evidence->text())};
}

/// Pools that share one finding, by name.
using Group = std::vector<const facts::NodePool*>;

static std::vector<Group> untainted_groups(const facts::ClusterFacts& facts,
                                           const ClusterScope& scope) {
  const bool others_known = std::ranges::any_of(facts.pools, [](const facts::NodePool& pool) {
    return pool.vendor == nullptr && std::ranges::none_of(pool.taints, is_repelling);
  });
  std::vector<Group> groups;
  std::map<GroupKey, Group> nodes;
  for (const facts::NodePool& pool : facts.pools) {
    if (pool.object == nullptr || !scope.is_linted(*pool.object)) continue;
    if (&scope.facts(*pool.object) != &facts || !is_untainted(pool, others_known)) continue;
    if (pool.object->kind == "Node") {
      nodes[group_key_of(pool)].push_back(&pool);
    } else {
      groups.push_back({&pool});
    }
  }
  for (auto& [key, group] : nodes) {
    std::ranges::stable_sort(group, {}, &facts::NodePool::name);
    groups.push_back(std::move(group));
  }
  return groups;
}

static std::string remedy_of(const facts::NodePool& pool) {
  const accelerators::DevicePlugin* plugin = accelerators::find_plugin(*pool.vendor);
  if (plugin == nullptr) {
    return "add a taint with effect NoSchedule that only the pods with accelerators tolerate";
  }
  if (plugin->tolerated_taint.empty()) {
    return fmt::format("add the taint '{}:NoSchedule', and tolerate it in {} and the model servers",
                       plugin->resource, plugin->name);
  }
  return fmt::format(
      "add the taint '{}:NoSchedule', which {} tolerates, and tolerate it in the model servers",
      plugin->tolerated_taint, plugin->name);
}

/// Places the finding at a taint of effect PreferNoSchedule, else at the evidence of accelerators.
static Findings::Finding begin(const facts::NodePool& pool, const std::string& who,
                               Findings& findings) {
  constexpr std::string_view kConsequence =
      "use resources that accelerator pods need, and prevent the nodes from scaling down";
  const auto soft = std::ranges::find(pool.taints, k8s::kPreferNoSchedule, &k8s::Taint::effect);
  if (soft == pool.taints.end()) {
    return findings.add(*pool.evidence, "pods without accelerators may run on {}, {}", who,
                        kConsequence);
  }
  const yaml::Node& effect = (*soft->node)["effect"];
  auto finding = findings.add(
      effect ? effect : *soft->node,
      "effect '{}' is only a preference: pods without accelerators may still run on {}, {}",
      soft->effect, who, kConsequence);
  finding.note(*pool.evidence, "this value selects nodes with accelerators");
  return finding;
}

static void report_group(const Group& group, Findings& findings) {
  constexpr std::size_t kMaxNotes = 10;
  const facts::NodePool& first = *group.front();
  findings.set_subject(first.object);
  const std::string more =
      group.size() == 1 ? "" : fmt::format(" and {} more like it", group.size() - 1);
  auto finding = begin(first, pool_called(first) + more, findings);
  for (const facts::NodePool* other :
       std::span(group).subspan(1, std::min(group.size() - 1, kMaxNotes))) {
    finding.note(*other->evidence, "{} has no such taint either", pool_called(*other));
  }
  finding.help("{}", remedy_of(first));
}

static void check(const ClusterScope& scope, Findings& findings) {
  std::vector<const facts::ClusterFacts*> seen;  // one for each configuration
  for (const k8s::Object& object : scope.objects()) {
    const facts::ClusterFacts* facts = &scope.facts(object);
    if (std::ranges::find(seen, facts) != seen.end()) continue;
    seen.push_back(facts);
    for (const Group& group : untainted_groups(*facts, scope)) report_group(group, findings);
  }
}

extern constinit const Rule rule = {
    .id = "gpu-node-untainted",
    .severity = Severity::info,
    .check = check,
};

}  // namespace cnsched::rules::gpu_node_untainted
