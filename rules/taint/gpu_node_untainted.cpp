#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/text.h"
#include "core/k8s/managed_taint.h"
#include "rules/rule.h"
#include "rules/taint/pools.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule taint_gpu_node_untainted = {
    .id = "gpu-node-untainted",
    .severity = Severity::info,
    .summary = "nothing keeps pods without accelerators off nodes that have them",
    .why =
        "Without a taint of effect NoSchedule or NoExecute any other pod may be put on the "
        "expensive node, take the room of the one that needs it, and hold the node when that one "
        "has scaled to zero: an autoscaler removes a node only when its pods can go elsewhere. A "
        "node selector on the model server puts it on the node, and keeps nobody else away; "
        "PreferNoSchedule only advises. Nodes of one pool are one finding.\n\n"
        "The rule is silent on control-plane nodes; on Nodes and eksctl node groups if the linted "
        "files and those given by --cluster show no node without accelerators for the other pods "
        "(a lab of one node, a cluster of GPU nodes); and where the provider or a controller sets "
        "the taint (GKE, KAITO).",
    .bad = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: gpu
spec:
  template:
    spec:
      requirements:
      - {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [l4]}
)",
    .good = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: gpu
spec:
  template:
    spec:
      requirements:
      - {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [l4]}
      taints:
      - {key: nvidia.com/gpu, value: "true", effect: NoSchedule}
)",
    .source =
        "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/"
        "#example-use-cases",
    .check = check,
};

/// One with a misspelt effect is reported by another rule.
static bool is_meant_to_repel(const k8s::Taint& taint) {
  return taint.effect != k8s::kPreferNoSchedule && !k8s::is_passing_taint(taint.key);
}

static std::string_view value_of(std::string_view key, const NodePool& pool) {
  const auto label = std::ranges::find(pool.labels, key, &k8s::Label::key);
  return label == pool.labels.end() ? std::string_view() : label->value;
}

/// Someone else decides what runs there, or sets the taint when the nodes come up.
static bool is_in_other_hands(const NodePool& pool) {
  return pool.object->kind == "GCPManagedMachinePool" ||
         std::ranges::any_of(
             pool.labels, [](const k8s::Label& label) { return k8s::sets_nodes_aside(label.key); });
}

/// The nodes of a run, or the node groups of an eksctl file, are all there are; a cluster with any
/// other kind of pool has nodes beside it.
static bool may_be_all_there_is(const NodePool& pool) {
  return pool.object->kind == "Node" || pool.object->kind == "ClusterConfig";
}

static bool is_open(const NodePool& pool, bool others_known) {
  if (pool.vendor == nullptr || std::ranges::any_of(pool.taints, is_meant_to_repel)) return false;
  return !is_in_other_hands(pool) && (others_known || !may_be_all_there_is(pool));
}

/// Nodes that are alike: of one pool, with the same evidence of accelerators.
using Likeness = std::tuple<std::string, std::string, std::string>;

static Likeness likeness_of(const NodePool& pool) {
  constexpr auto kPoolLabels = std::to_array<std::string_view>(
      {"cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup", "karpenter.sh/nodepool",
       "alpha.eksctl.io/nodegroup-name", "kubernetes.azure.com/agentpool", "agentpool"});
  std::string of_pool;
  for (const std::string_view key : kPoolLabels) of_pool += fmt::format("{}/", value_of(key, pool));
  const yaml::Node* key = pool.evidence->key();
  return {of_pool, key == nullptr ? "" : std::string(key->text()),
          std::string(pool.evidence->text())};
}

/// Pools that are one finding, by name.
using Group = std::vector<const NodePool*>;

static std::vector<Group> open_groups(const ClusterFacts& facts, const Workspace& run) {
  const bool others_known = std::ranges::any_of(facts.pools, [](const NodePool& pool) {
    return pool.vendor == nullptr && std::ranges::none_of(pool.taints, is_meant_to_repel);
  });
  std::vector<Group> groups;
  std::map<Likeness, Group> nodes;
  for (const NodePool& pool : facts.pools) {
    if (pool.object == nullptr || !run.is_linted(*pool.object)) continue;
    if (&run.facts(*pool.object) != &facts || !is_open(pool, others_known)) continue;
    if (pool.object->kind == "Node") {
      nodes[likeness_of(pool)].push_back(&pool);
    } else {
      groups.push_back({&pool});
    }
  }
  for (auto& [likeness, group] : nodes) {
    std::ranges::stable_sort(group, {}, &NodePool::name);
    groups.push_back(std::move(group));
  }
  return groups;
}

static std::string remedy_of(const NodePool& pool) {
  const accelerators::DevicePlugin* plugin = accelerators::find_plugin(*pool.vendor);
  if (plugin == nullptr) {
    return "add a taint with effect NoSchedule that only the pods with accelerators tolerate";
  }
  if (plugin->tolerated_taint.empty()) {
    return fmt::format(
        "add the taint '{}:NoSchedule', and let {} and the model servers tolerate it",
        plugin->resource, plugin->name);
  }
  return fmt::format(
      "add the taint '{}:NoSchedule', which {} tolerates, and let the model servers "
      "tolerate it",
      plugin->tolerated_taint, plugin->name);
}

/// The finding begins at a taint that only advises, else at what says that there are accelerators.
static Report::Finding begin(const NodePool& pool, const std::string& who, Report& report) {
  constexpr std::string_view kConsequence =
      "take the room of those that need it, and keep the nodes from scaling down";
  const auto soft = std::ranges::find(pool.taints, k8s::kPreferNoSchedule, &k8s::Taint::effect);
  if (soft == pool.taints.end()) {
    return report.add(*pool.evidence, "pods without accelerators may be put on {}, {}", who,
                      kConsequence);
  }
  const yaml::Node& effect = (*soft->node)["effect"];
  auto finding =
      report.add(effect ? effect : *soft->node,
                 "'{}' only advises: pods without accelerators may still be put on {}, {}",
                 soft->effect, who, kConsequence);
  finding.note(*pool.evidence, "this shows that the nodes have accelerators");
  return finding;
}

static void report_group(const Group& group, Report& report) {
  constexpr std::size_t kMost = 10;
  const NodePool& first = *group.front();
  report.set_subject(first.object);
  const std::string more =
      group.size() == 1 ? "" : fmt::format(" and {} more like it", group.size() - 1);
  auto finding = begin(first, pool_called(first) + more, report);
  for (const NodePool* other : std::span(group).subspan(1, std::min(group.size() - 1, kMost))) {
    finding.note(*other->evidence, "{} is open to them as well", pool_called(*other));
  }
  finding.help("{}", remedy_of(first));
}

static void check(const Workspace& run, Report& report) {
  std::vector<const ClusterFacts*> seen;  // one, or one for each configuration
  for (const k8s::Object& object : run.objects()) {
    const ClusterFacts* facts = &run.facts(object);
    if (std::ranges::find(seen, facts) != seen.end()) continue;
    seen.push_back(facts);
    for (const Group& group : open_groups(*facts, run)) report_group(group, report);
  }
}

}  // namespace cnsched::rules
