// What Karpenter and the cluster autoscaler do for a pod that no node accepts: try each pool's
// kinds of nodes with the filters of the scheduler. Sources: kubernetes-sigs/karpenter 226646810,
// pkg/controllers/provisioning/scheduling/scheduler.go, addToNewNodeClaim and
// filterByRemainingResources, pkg/utils/nodepool/nodepool.go, OrderByWeight; kubernetes/autoscaler
// 55c37cd5, cluster-autoscaler/cloudprovider/clusterapi.

#include "core/sim/autoscaler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <tuple>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/pod_resources.h"

namespace cnsched::sim {

namespace {

using k8s::Requirement;

constexpr std::size_t kMaxReasons = 4;

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

/// What a node of the type counts against limits, in the scheduler's units.
std::int64_t capacity_of(const NodeOption& option, std::string_view resource) {
  constexpr std::int64_t kMilli = 1000;
  if (resource == "nodes") return 1;
  if (option.type == nullptr) return 0;
  if (resource == "cpu") return option.type->vcpus * kMilli;
  if (resource == "memory") return option.type->capacity_bytes();
  return resource == option.type->resource ? std::int64_t{option.type->accelerators->devices} : 0;
}

/// Whether the machine does not have as much, whatever its configuration reserves.
bool exceeds(const k8s::Request& request, const accelerators::MachineType& type) {
  constexpr std::int64_t kMilli = 1000;
  constexpr unsigned kBitsOfMebibyte = 20;
  if (request.name == "cpu") return request.amount > type.vcpus * kMilli;
  if (request.name == "memory") return request.amount > type.mebibytes << kBitsOfMebibyte;
  return request.name == type.resource && request.amount > std::int64_t{type.accelerators->devices};
}

/// The accelerators that the pod requests; null if it requests none.
const accelerators::Resource* accelerator_of(const Pod& pod) {
  for (const k8s::Request& request : pod.requests) {
    const auto* resource = accelerators::find_resource(request.name);
    if (resource != nullptr && request.amount > 0) return resource;
  }
  return nullptr;
}

/// Whether AWS's category has no accelerators; also that of a family or type: "m" of m7i.large. New
/// families of other categories may have some.
bool is_without_accelerators(std::string_view machines) {
  constexpr auto kCategories = std::to_array<std::string_view>(
      {"a", "c", "d", "h", "hpc", "i", "im", "is", "m", "r", "t", "u", "x", "z"});
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  const std::size_t end = std::min(machines.find_first_not_of(kLetters), machines.size());
  return std::ranges::find(kCategories, machines.substr(0, end)) != kCategories.end();
}

/// Whether the requirement lists only machines without accelerators.
bool excludes_accelerators(const Requirement& r) {
  return k8s::is_instance_label(r.key) && r.op == "In" &&
         std::ranges::all_of(r.values, [](const yaml::Node* value) {
           return is_without_accelerators(value->text());
         });
}

/// Whether all types of a family have one value of the label.
bool is_of_family(std::string_view key) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"kubernetes.io/arch", "/instance-family", "/instance-category", "/instance-generation",
       "/instance-gpu-name", "/instance-gpu-manufacturer", "/instance-accelerator-name",
       "/instance-accelerator-manufacturer"});
  return std::ranges::any_of(kNames, [&](std::string_view name) { return key.ends_with(name); });
}

std::string demands_text(const LabelDemands& demands) {
  std::vector<std::string> texts;
  for (const Requirement& r : demands) {
    if (texts.size() < kMaxReasons) texts.push_back(requirement_text(r));
  }
  return join_words(texts);
}

std::string requests_text(const Pod& pod) {
  std::vector<std::string> texts;
  for (const k8s::Request& request : pod.requests) {
    if (request.amount == 0) continue;
    texts.push_back(fmt::format("{} {}", k8s::shown_amount(request.name, request.amount),
                                printable(request.name)));
  }
  return join_words(texts);
}

void add_reason(std::vector<std::string>& reasons, const std::string& reason) {
  const bool is_new = std::ranges::find(reasons, reason) == reasons.end();
  if (is_new && reasons.size() < kMaxReasons) reasons.push_back(reason);
}

/// A label that the pod requires and that the autoscaler may not know of a group without nodes;
/// empty if there is none.
std::string_view untagged_label(const facts::NodePool& pool, const Pod& pod) {
  const std::vector<std::string_view>& untagged = pool.scaling.untagged_labels;
  std::string_view found;
  for (const LabelDemands& demands : alternative_demands(pod, false)) {
    const auto unknown = std::ranges::find_if(demands, [&](const Requirement& r) {
      return r.requires_label() && std::ranges::find(untagged, r.key) != untagged.end();
    });
    if (unknown == demands.end()) return {};
    found = unknown->key;
  }
  return found;
}

void add_capacity(const k8s::Object& node, PoolUse& use) {
  ++use.nodes;
  for (const yaml::Entry& entry : node["status"]["capacity"].entries()) {
    const auto quantity = Quantity::parse(entry.value->text());
    if (entry.overridden || !quantity) continue;
    const std::string_view name = entry.key->text();
    std::int64_t& amount = use.amounts[name];
    amount = saturated_sum(amount, k8s::amount_of(name, *quantity));
  }
}

}  // namespace

/// The filters' verdicts on every kind of node, without those on labels where Karpenter decides.
struct Autoscaler::Filtered {
  NodeSet by_labels;     ///< rejected by NodeAffinity
  NodeSet by_resources;  ///< by NodeResourcesFit
  NodeSet by_others;
  NodeSet perhaps;            ///< perhaps rejected, not for labels
  NodeSet perhaps_by_labels;  ///< perhaps rejected for labels
  std::vector<Rejection> rejections;

  Filtered(const Pod& pod, const Cluster& cluster)
      : by_labels(cluster.none()),
        by_resources(cluster.none()),
        by_others(cluster.none()),
        perhaps(cluster.none()),
        perhaps_by_labels(cluster.none()),
        rejections(Diagnosis(pod, cluster).rejections()) {
    for (const Rejection& rejection : rejections) {
      const bool is_of_labels = rejection.plugin == &node_affinity;
      if (!rejection.is_certain) {
        (is_of_labels ? perhaps_by_labels : perhaps) |= rejection.nodes;
      } else if (is_of_labels) {
        by_labels |= rejection.nodes;
      } else {
        (rejection.plugin == &node_resources_fit ? by_resources : by_others) |= rejection.nodes;
      }
    }
  }

  /// What is unknown about the kind of node.
  void add_unknown(std::size_t option, bool with_labels, std::vector<std::string>& reasons) const {
    for (const Rejection& rejection : rejections) {
      if (rejection.is_certain || !rejection.nodes.contains(option)) continue;
      if (rejection.plugin == &node_affinity && !with_labels) continue;
      add_reason(reasons, rejection.reason);
    }
  }
};

Autoscaler::Autoscaler(const ClusterScope& scope, const facts::ClusterFacts& facts,
                       const SimulationOptions& options)
    : options_(facts),
      cluster_(scope, options_.facts(), options.view, options.extended_resource_toleration,
               options.steps),
      pool_of_(options_.facts().pools.size()) {
  const auto& pools = options_.pools();
  for (std::size_t i = 0; i < pools.size(); ++i) {
    order_.push_back(i);
    karpenter_labels_.emplace_back(*pools[i].pool);
    // What is in use is temporary.
    const bool is_lasting = options.view == Cluster::View::lasting;
    initial_use_.push_back(is_lasting ? PoolUse() : use_of(pools[i]));
    for (const std::size_t option : pools[i].options) pool_of_[option] = i;
  }
  // Of two with one weight, Karpenter tries the one with the larger name first. The order of other
  // pools is the autoscaler's choice.
  std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) {
    const facts::NodePool& first = *pools[a].pool;
    const facts::NodePool& second = *pools[b].pool;
    const bool is_first = facts::is_of_karpenter(first);
    if (is_first != facts::is_of_karpenter(second)) return is_first;
    return is_first && std::tuple(first.scaling.weight, std::string_view(first.name)) >
                           std::tuple(second.scaling.weight, std::string_view(second.name));
  });
}

PoolUse Autoscaler::use_of(const NodeOptions::OfPool& of) const {
  const facts::NodePool& pool = *of.pool;
  PoolUse use;
  const std::span<const std::string_view> keys =
      facts::is_of_karpenter(pool) ? k8s::kKarpenterPoolLabels : k8s::kProviderPoolLabels;
  NodeSet nodes = cluster_.none();
  for (const std::string_view key : keys) {
    const LabelColumn* column = cluster_.label(key);
    if (column == nullptr) continue;
    nodes |= column->where(
        [&](std::optional<std::string_view> value) { return value && *value == pool.name; });
  }
  (nodes - cluster_.autoscaled()).each([&](std::size_t node) {
    add_capacity(*cluster_.node(node).object, use);
  });
  for (const auto& [name, quantity] : pool.scaling.used) {
    const std::int64_t amount = k8s::amount_of(name, quantity);
    if (name == "nodes") {
      use.nodes = amount;
    } else {
      use.amounts[name] = amount;
    }
  }
  use.nodes = std::max(use.nodes, pool.scaling.nodes.value_or(0));
  return use;
}

void Autoscaler::add_to(Use& use, std::size_t option) const {
  PoolUse& of = use[pool_of_[option]];
  ++of.nodes;
  for (const auto& [name, quantity] : options_[option].pool->scaling.limits) {
    std::int64_t& amount = of.amounts[name];
    amount = saturated_sum(amount, capacity_of(options_[option], name));
  }
}

/// "limit nvidia.com/gpu 8 is used up"; empty if the pool may have one more node of this kind.
std::string Autoscaler::exceeded_limit(const facts::NodePool& pool, const PoolUse& use,
                                       std::size_t option) const {
  if (pool.scaling.max_nodes && use.nodes >= *pool.scaling.max_nodes) {
    return fmt::format("it has {} of at most {}", use.nodes,
                       count_of(static_cast<std::size_t>(*pool.scaling.max_nodes), "node"));
  }
  for (const auto& [name, quantity] : pool.scaling.limits) {
    const std::int64_t limit = k8s::amount_of(name, quantity);
    const auto found = use.amounts.find(name);
    const std::int64_t used = name == "nodes"              ? use.nodes
                              : found == use.amounts.end() ? 0
                                                           : found->second;
    const std::int64_t free = limit - std::min(used, limit);
    const std::int64_t needed = capacity_of(options_[option], name);
    const bool is_always_used = name == "cpu" || name == "memory";
    const bool is_used_up = free == 0 && (needed > 0 || is_always_used);
    if (needed <= free && !is_used_up) continue;
    const std::string text =
        fmt::format("limit {} {}", printable(name), k8s::shown_amount(name, limit));
    if (is_used_up) return text + " is used up";
    return fmt::format("{}: {} is left, {} has {}", text, k8s::shown_amount(name, free),
                       printable(options_[option].type_name), k8s::shown_amount(name, needed));
  }
  return {};
}

Outlook Autoscaler::outlook(const Pod& pod, const Use& use) const {
  const Filtered filtered(pod, cluster_);
  if (!pod.preferred_terms.empty()) {
    Outlook preferred = outlook(pod, use, true, filtered);
    const PoolOutlook* choice = preferred.choice();
    if (choice != nullptr && choice->verdict == Truth::yes) return preferred;
  }
  return outlook(pod, use, false, filtered);
}

Outlook Autoscaler::outlook(const Pod& pod, const Use& use, bool preferred,
                            const Filtered& filtered) const {
  const std::vector<LabelDemands> demands = alternative_demands(pod, preferred);
  Outlook outlook;
  for (const std::size_t pool : order_) {
    const bool is_karpenter = facts::is_of_karpenter(*options_.pools()[pool].pool);
    PoolOutlook of = is_karpenter ? karpenter_outlook(pool, pod, demands, use[pool], filtered)
                                  : group_outlook(pool, pod, use[pool], filtered);
    if (of.option) of.type = options_[*of.option].type_name;
    outlook.pools.push_back(std::move(of));
    if (!outlook.chosen && outlook.pools.back().option) {
      outlook.chosen = outlook.pools.size() - 1;
    }
  }
  return outlook;
}

Truth Autoscaler::labels_match(std::size_t option, const KarpenterLabels& labels,
                               const LabelDemands& demands) const {
  const NodeOption& of = options_[option];
  Truth verdict = of.type == nullptr || labels.undecided().empty() ? Truth::yes : Truth::unknown;
  for (const Requirement& r : demands) {
    const std::string_view key = k8s::current_node_label(r.key);
    if (of.type != nullptr && accelerators::is_known_karpenter_label(key, labels.prefix())) {
      if (!admits(r, cluster_.node(option).labels)) return Truth::no;
    } else if (!labels.defines(key) && !key.starts_with("karpenter.sh/") &&
               !key.starts_with("topology.") && key != "kubernetes.io/os") {
      // A label of the machine type that the catalogue does not have.
      verdict = Truth::unknown;
    }
  }
  return verdict;
}

std::vector<LabelDemands> Autoscaler::possible_demands(std::size_t index, const Pod& pod,
                                                       const std::vector<LabelDemands>& demands,
                                                       PoolOutlook& outlook) const {
  const facts::NodePool& pool = *outlook.pool;
  if (pool.scaling.is_fixed) {
    add_reason(outlook.reasons, "it has a fixed number of nodes (spec.replicas)");
    return {};
  }
  const auto* wanted = accelerator_of(pod);
  for (const Requirement& r : pool.scaling.requirements) {
    if (wanted == nullptr || !excludes_accelerators(r)) continue;
    add_reason(outlook.reasons, fmt::format("requirement {} admits no instance type with {}",
                                            requirement_text(r), wanted->name));
    return {};
  }
  if (demands.empty()) add_reason(outlook.reasons, "the pod requires a node of a certain name");
  std::vector<LabelDemands> possible;
  std::vector<std::string> conflicts;
  for (const LabelDemands& each : demands) {
    const std::string conflict = karpenter_labels_[index].conflict_with(each);
    if (conflict.empty()) {
      possible.push_back(each);
    } else {
      add_reason(conflicts, conflict);
    }
  }
  if (possible.empty()) std::ranges::copy(conflicts, std::back_inserter(outlook.reasons));
  return possible;
}

/// The requirement of the pool whose minValues the catalogue's types that fit do not reach; empty
/// if there is none.
std::string Autoscaler::too_few_values(const facts::NodePool& pool,
                                       const std::vector<std::size_t>& fitting) const {
  const std::string_view prefix = aws_label_prefix(pool);
  for (const Requirement& r : pool.scaling.requirements) {
    const std::int64_t least = k8s::parse_int64((*r.node)["minValues"].text()).value_or(0);
    const std::string_view key = k8s::current_node_label(r.key);
    if (least <= 1 || !accelerators::is_known_karpenter_label(key, prefix)) continue;
    std::set<std::string_view> values;
    for (const std::size_t option : fitting) {
      const auto& labels = cluster_.node(option).labels;
      const auto label = std::ranges::find(labels, key, &k8s::Label::key);
      if (label != labels.end()) values.insert(label->value);
    }
    if (std::ssize(values) >= least) continue;
    return fmt::format(
        "requirement {} has minValues {}, the instance types of the catalogue that fit have {}",
        requirement_text(r), least, values.size());
  }
  return {};
}

/// Says what is unknown about the kind of node that the pod may fit.
void Autoscaler::note_unknown(std::size_t index, const LabelDemands& demands,
                              const Filtered& filtered, PoolOutlook& outlook) const {
  outlook.verdict = Truth::unknown;
  if (options_[*outlook.option].type == nullptr) {
    const bool is_of_aws = !aws_label_prefix(*outlook.pool).empty();
    add_reason(outlook.reasons,
               options_.pools()[index].is_cut ? "there are too many pools to compare its types"
               : !is_of_aws ? "the catalogue has the labels of AWS's instance types only"
               : options_[*outlook.option].type_name.empty()
                   ? "no instance type of the catalogue satisfies the pool's requirements"
                   : "the catalogue does not have this instance type");
    return;
  }
  filtered.add_unknown(*outlook.option, false, outlook.reasons);
  if (!outlook.reasons.empty()) return;
  const LabelDemands& open = karpenter_labels_[index].undecided();
  add_reason(outlook.reasons,
             fmt::format("the catalogue does not say whether the instance type satisfies {}",
                         demands_text(open.empty() ? demands : open)));
}

PoolOutlook Autoscaler::karpenter_outlook(std::size_t index, const Pod& pod,
                                          const std::vector<LabelDemands>& demands,
                                          const PoolUse& use, const Filtered& filtered) const {
  const NodeOptions::OfPool& of = options_.pools()[index];
  PoolOutlook outlook{.pool = of.pool};
  const std::vector<LabelDemands> possible = possible_demands(index, pod, demands, outlook);
  if (possible.empty()) return outlook;
  std::vector<std::size_t> matching;
  std::vector<std::size_t> fitting;
  std::string limit;
  for (const std::size_t option : of.options) {
    Truth match = Truth::no;
    cluster_.steps().spend(Cluster::kStepsOfMatch * possible.size());
    for (const LabelDemands& each : possible) {
      match |= labels_match(option, karpenter_labels_[index], each);
    }
    if (match == Truth::no) continue;
    matching.push_back(option);
    if (filtered.by_resources.contains(option) || filtered.by_others.contains(option)) continue;
    const std::string exceeded = exceeded_limit(*of.pool, use, option);
    if (!exceeded.empty()) {
      if (limit.empty()) limit = exceeded;
      continue;
    }
    if (match == Truth::yes && !filtered.perhaps.contains(option)) fitting.push_back(option);
    if (!outlook.option) outlook.option = option;
    if (!fitting.empty() && !karpenter_labels_[index].has_min_values()) break;
  }
  if (!fitting.empty()) {
    outlook.option = fitting.front();
    const std::string problem = too_few_values(*of.pool, fitting);
    outlook.verdict = problem.empty() ? Truth::yes : Truth::unknown;
    if (!problem.empty()) add_reason(outlook.reasons, problem);
  } else if (outlook.option) {
    note_unknown(index, possible.front(), filtered, outlook);
  } else if (!limit.empty()) {
    add_reason(outlook.reasons, limit);
  } else if (matching.empty()) {
    if (!is_certain_misfit(of, possible)) outlook.verdict = Truth::unknown;
    add_reason(outlook.reasons,
               fmt::format("no instance type of the catalogue that the pool admits satisfies {}",
                           demands_text(possible.front())));
  } else {
    explain_misfit(of, matching, pod, filtered, outlook);
  }
  return outlook;
}

/// Whether no machine type of the pool satisfies any of the demands, also none that the catalogue
/// does not have.
bool Autoscaler::is_certain_misfit(const NodeOptions::OfPool& of,
                                   const std::vector<LabelDemands>& demands) const {
  if (of.coverage == Coverage::full) return true;
  if (of.coverage != Coverage::families) return false;
  const auto is_unmet = [&](const Requirement& r) {
    return is_of_family(k8s::current_node_label(r.key)) &&
           std::ranges::none_of(of.options, [&](std::size_t option) {
             return admits(r, cluster_.node(option).labels);
           });
  };
  return std::ranges::all_of(
      demands, [&](const LabelDemands& each) { return std::ranges::any_of(each, is_unmet); });
}

/// Why the filters reject all of `options`.
void Autoscaler::explain_misfit(const NodeOptions::OfPool& of,
                                const std::vector<std::size_t>& options, const Pod& pod,
                                const Filtered& filtered, PoolOutlook& outlook) const {
  const bool is_karpenter = facts::is_of_karpenter(*of.pool);
  const auto rest = std::ranges::find_if(options, [&](std::size_t option) {
    return !filtered.by_others.contains(option) &&
           (is_karpenter || !filtered.by_labels.contains(option));
  });
  const bool is_for_size = rest != options.end();
  if (is_for_size && options_[*rest].type != nullptr) {
    const bool is_certain =
        of.coverage == Coverage::full && std::ranges::all_of(options, [&](std::size_t option) {
          return std::ranges::any_of(pod.requests, [&](const k8s::Request& r) {
            return exceeds(r, *options_[option].type);
          });
        });
    if (!is_certain) outlook.verdict = Truth::unknown;
    add_reason(outlook.reasons,
               fmt::format("no instance type of the catalogue that the pool admits offers {}",
                           requests_text(pod)));
    return;
  }
  const std::size_t explained = is_for_size ? *rest : options.front();
  for (const Cause& cause : causes_on(explained, pod, cluster_)) {
    const bool is_left_out = cause.plugin == &node_resources_fit && !is_for_size;
    const bool is_of_labels = cause.plugin == &node_affinity;
    if (is_left_out || (is_of_labels && is_karpenter)) continue;
    add_reason(outlook.reasons, cause.text);
  }
  for (const Rejection& rejection : filtered.rejections) {
    if (!outlook.reasons.empty() || !rejection.is_certain) continue;
    if (rejection.nodes.contains(explained)) add_reason(outlook.reasons, rejection.reason);
  }
}

PoolOutlook Autoscaler::group_outlook(std::size_t index, const Pod& pod, const PoolUse& use,
                                      const Filtered& filtered) const {
  const NodeOptions::OfPool& of = options_.pools()[index];
  PoolOutlook outlook{.pool = of.pool};
  const std::string limit = exceeded_limit(*of.pool, use, of.options.front());
  std::optional<std::size_t> possible;
  for (const std::size_t option : of.options) {
    const bool is_rejected = filtered.by_labels.contains(option) ||
                             filtered.by_resources.contains(option) ||
                             filtered.by_others.contains(option);
    if (is_rejected) continue;
    const bool is_unknown =
        filtered.perhaps.contains(option) || filtered.perhaps_by_labels.contains(option);
    if (!possible) possible = option;
    if (is_unknown) continue;
    possible = option;
    outlook.verdict = Truth::yes;
    break;
  }
  if (!possible) {
    explain_misfit(of, of.options, pod, filtered, outlook);
    return outlook;
  }
  if (!limit.empty()) {
    outlook.verdict = Truth::no;
    add_reason(outlook.reasons, limit);
    return outlook;
  }
  outlook.option = possible;
  const std::string_view untagged = untagged_label(*of.pool, pod);
  if (outlook.verdict == Truth::yes && of.pool->scaling.doubt.empty() && untagged.empty()) {
    return outlook;
  }
  outlook.verdict = Truth::unknown;
  if (!untagged.empty()) {
    add_reason(outlook.reasons,
               fmt::format("before the group has a node, the cluster autoscaler knows label '{0}' "
                           "only if its Auto Scaling group has the tag '{1}{0}', which "
                           "'propagateASGTags: true' sets",
                           printable(untagged), facts::kNodeTemplateLabel));
  }
  if (!of.pool->scaling.doubt.empty()) {
    add_reason(outlook.reasons, std::string(of.pool->scaling.doubt));
  }
  filtered.add_unknown(*possible, true, outlook.reasons);
  return outlook;
}

Autoscaler::AddedNode Autoscaler::added_for(const Pod& pod, std::size_t option) const {
  const AddedNode empty{k8s::Conjunction(&karpenter_labels_[pool_of_[option]].conjunction())};
  return shared_with(pod, option, empty).value_or(empty);
}

std::optional<Autoscaler::AddedNode> Autoscaler::shared_with(const Pod& pod, std::size_t option,
                                                             const AddedNode& node) const {
  const KarpenterLabels& labels = karpenter_labels_[pool_of_[option]];
  for (const LabelDemands& demands : alternative_demands(pod, false)) {
    if (!labels.conflict_with(demands).empty()) continue;
    if (labels_match(option, labels, demands) == Truth::no) continue;
    AddedNode together = node;
    const bool has_conflict = std::ranges::any_of(
        demands, [&](const Requirement& r) { return !together.labels.add(r).empty(); });
    if (!has_conflict) return together;
  }
  return std::nullopt;
}

bool Autoscaler::is_of_karpenter(std::size_t node) const {
  return facts::is_of_karpenter(*options_[node].pool);
}

bool Outlook::is_hopeless() const {
  return std::ranges::all_of(pools, [](const PoolOutlook& of) { return of.verdict == Truth::no; });
}

const Autoscaler* Autoscalers::of(const Simulated& simulated) {
  if (simulated.cluster->autoscaled().empty()) return nullptr;
  std::unique_ptr<const Autoscaler>& found = by_cluster_[simulated.cluster];
  if (found == nullptr) {
    const Workload& workload = *simulated.workload;
    found = std::make_unique<const Autoscaler>(
        *workload.scope, workload.scope->facts(*workload.object), simulation_->options());
  }
  return found->has_pools() ? found.get() : nullptr;
}

std::optional<Outlook> Autoscalers::outlook(const Simulated& simulated) {
  const bool is_scheduled = simulated.diagnosis && simulated.pod.never_admitted.empty() &&
                            simulated.pod.not_created.reason.empty() && !simulated.pod.is_gated &&
                            simulated.pod.node_name.empty() &&
                            simulated.workload->object->kind != "DaemonSet";
  if (!is_scheduled) return std::nullopt;
  const NodeSet existing = simulated.diagnosis->feasible() - simulated.cluster->autoscaled();
  if (!existing.empty()) return std::nullopt;
  const Autoscaler* autoscaler = of(simulated);
  if (autoscaler == nullptr) return std::nullopt;
  return autoscaler->outlook(simulated.pod, autoscaler->initial_use());
}

}  // namespace cnsched::sim
