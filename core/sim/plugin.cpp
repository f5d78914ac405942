#include "core/sim/plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/accelerators/catalogue.h"
#include "core/base/text.h"

namespace cnsched::sim {

namespace {

constexpr std::uint64_t kStepsOfPlugin = 4;
/// Sets of nodes are bits.
constexpr std::uint64_t kNodesOfStep = 32;

/// The kubelet rejects a pod whose selector or node affinity its node does not satisfy, whatever
/// scheduler placed it. Source: pkg/kubelet/lifecycle/predicate.go.
bool is_left_to_other_scheduler(const Plugin& plugin, const Pod& pod, const Cluster& cluster) {
  const bool is_of_every_scheduler =
      &plugin == &creation || &plugin == &node_affinity || &plugin == &node_affinity_pre_filter;
  return !is_of_every_scheduler && !other_scheduler(pod, cluster).empty();
}

}  // namespace

std::string other_scheduler(const Pod& pod, const Cluster& cluster) {
  if (!pod.node_name.empty()) return {};
  if (!pod.scheduler.empty()) return fmt::format("scheduler '{}'", printable(pod.scheduler));
  for (const k8s::Request& request : pod.requests) {
    const bool is_of_other = request.amount > 0 && cluster.resource(request.name) == nullptr &&
                             accelerators::is_resource_of_scheduler(request.name);
    if (is_of_other) {
      return fmt::format("the scheduler that knows '{}'", printable(request.name));
    }
  }
  return {};
}

std::vector<Cause> CausesByNode::operator[](std::size_t node) const {
  std::vector<Cause> causes(count(node));
  std::size_t list = list_of_[node];
  for (auto cause = causes.rbegin(); cause != causes.rend(); ++cause) {
    *cause = lists_[list].last;
    list = lists_[list].rest;
  }
  return causes;
}

std::size_t FilterResult::HashOfKey::operator()(const ListAndKey& of) const {
  constexpr std::size_t kFactor = 0x9E3779B97F4A7C15;  // of Fibonacci hashing
  constexpr unsigned kHalf = 32;
  std::size_t hash = of.first;
  for (const std::int64_t part : of.second) {
    hash = (hash ^ hash >> kHalf ^ static_cast<std::size_t>(part)) * kFactor;
  }
  return hash ^ hash >> kHalf;
}

bool FilterResult::has_room(std::size_t list) const {
  if (causes_->lists_[list].size < kMaxCauses) return true;
  for (std::size_t i = 1; i < kMaxCauses; ++i) list = causes_->lists_[list].rest;
  return causes_->lists_[list].last.in_pod == nullptr;
}

std::size_t FilterResult::longer_list(std::size_t list, std::optional<Cause> cause) {
  if (!cause) return list;
  steps_->spend(kStepsOfCause);
  cause->plugin = plugin_;
  causes_->lists_.push_back({list, causes_->lists_[list].size + 1, *std::move(cause)});
  return causes_->lists_.size() - 1;
}

void FilterResult::take_back(const NodeSet& nodes, const std::string& instead) {
  std::unordered_map<std::size_t, std::size_t> lists;
  nodes.each([&](std::size_t node) {
    std::size_t list = causes_->list_of_[node];
    while (causes_->lists_[list].last.plugin == plugin_) list = causes_->lists_[list].rest;
    const auto [found, is_new] = lists.try_emplace(list, list);
    if (is_new && !instead.empty()) found->second = longer_list(list, Cause{.text = instead});
    causes_->list_of_[node] = found->second;
  });
}

void FilterResult::run(const Plugin& plugin, const Pod& pod, const Cluster& cluster) {
  plugin_ = &plugin;
  Steps& steps = cluster.steps();
  steps_ = &steps;
  const std::size_t before = rejections_.size();
  if (steps.spend(kStepsOfPlugin + cluster.size() / kNodesOfStep)) {
    plugin.filter(pod, cluster, *this);
  }
  if (rejections_.size() > before && is_left_to_other_scheduler(plugin, pod, cluster)) {
    for (std::size_t i = before; i < rejections_.size(); ++i) {
      rejections_[i].is_certain = rejections_[i].is_of_pod = rejections_[i].is_error = false;
    }
  }
  if (!steps.are_spent()) return;
  // The filter may have stopped anywhere.
  rejections_.resize(before);
  const bool is_said = before > 0 && rejections_.back().reason == steps.text();
  if (explained_ != nullptr) take_back(*explained_, is_said ? std::string() : steps.text());
  if (!is_said) reject_perhaps(steps.text(), cluster.all());
}

std::span<const Plugin* const> plugins() {
  static constexpr auto kInOrder = std::to_array<const Plugin*>({
      &node_affinity_pre_filter,
      &node_unschedulable,
      &node_name,
      &taint_toleration,
      &node_affinity,
      &node_ports,
      &node_resources_fit,
      &volume_restrictions,
      &node_volume_limits,
      &volume_binding,
      &volume_zone,
      &pod_topology_spread,
      &inter_pod_affinity,
      &dynamic_resources,
      &node_declared_features,
      &unfiltered,
      &creation,
  });
  return kInOrder;
}

std::vector<std::int64_t> normalized(const std::vector<std::int64_t>& raw_of_node,
                                     const NodeSet& feasible, Better better) {
  constexpr std::int64_t kMaxScore = 100;
  std::int64_t highest = 0;
  feasible.each([&](std::size_t node) { highest = std::max(highest, raw_of_node[node]); });
  std::vector<std::int64_t> result;
  feasible.each([&](std::size_t node) {
    const std::int64_t share = highest == 0 ? 0 : kMaxScore * raw_of_node[node] / highest;
    result.push_back(better == Better::less ? kMaxScore - share : share);
  });
  return result;
}

std::vector<std::int64_t> scores(const Pod& pod, const Cluster& cluster, const NodeSet& feasible) {
  std::vector<std::int64_t> total(feasible.count());
  for (const Plugin* plugin : plugins()) {
    if (plugin->score == nullptr) continue;
    const std::vector<std::int64_t> part = plugin->score(pod, cluster, feasible);
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += plugin->weight * part[i];
  }
  return total;
}

}  // namespace cnsched::sim
