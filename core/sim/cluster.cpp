#include "core/sim/cluster.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/accelerators/catalogue.h"
#include "core/k8s/managed_taint.h"
#include "core/k8s/quantity.h"
#include "core/workloads/pool_platform.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// Capped: no sum of honest amounts comes near the limits.
std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? kMost : -kMost;
}

/// Of a Node without `allocatable`, the API server copies its capacity.
const yaml::Node& allocatable_of(const NodePool& pool) {
  if (pool.allocatable->is_mapping()) return *pool.allocatable;
  if (pool.object == nullptr) return yaml::missing_node();
  return (*pool.object)["status"]["capacity"];
}

/// Keys that clouds, operators and the kubelet set on nodes. Everything else on a node is there
/// because somebody who describes its pool wanted it.
bool is_set_by_others(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash != std::string_view::npos;
}

bool has_ended(const k8s::Object& pod) {
  const std::string_view phase = pod["status"]["phase"].text();
  return phase == "Succeeded" || phase == "Failed";
}

/// Whether the Pod takes room on its node already: a file of facts holds it, or it was printed from
/// a cluster.
bool takes_room(const k8s::Object& pod, const Workspace& run) {
  return !has_ended(pod) && (!run.is_linted(pod) || pod["status"]["phase"]);
}

}  // namespace

void LabelColumn::set(std::size_t node, std::string_view value) {
  const auto [place, is_new] =
      places_.try_emplace(value, static_cast<std::uint32_t>(values_.size() + 1));
  if (is_new) values_.push_back(value);
  const Entry entry{static_cast<std::uint32_t>(node), place->second};
  if (!entries_.empty() && entries_.back().node == node) {
    entries_.back() = entry;
  } else {
    entries_.push_back(entry);
  }
}

std::uint32_t LabelColumn::place_of(std::size_t node) const {
  const auto found = std::ranges::lower_bound(entries_, node, {}, &Entry::node);
  return found == entries_.end() || found->node != node ? 0 : found->place;
}

std::optional<std::string_view> LabelColumn::value_of(std::size_t node) const {
  const std::uint32_t place = place_of(node);
  return place == 0 ? std::nullopt : std::optional(values_[place - 1]);
}

NodeSet LabelColumn::with() const {
  NodeSet set(nodes_);
  for (const Entry& entry : entries_) set.insert(entry.node);
  return set;
}

std::int64_t ResourceColumn::Room::free() const { return add(allocatable, -requested); }

ResourceColumn::Room ResourceColumn::on(std::size_t node) const {
  const auto found = std::ranges::lower_bound(rooms_, node, {}, &Room::node);
  return found != rooms_.end() && found->node == node ? *found : Room{node};
}

ResourceColumn::Room* ResourceColumn::find(std::size_t node) {
  const auto found = std::ranges::lower_bound(rooms_, node, {}, &Room::node);
  return found != rooms_.end() && found->node == node ? &*found : nullptr;
}

Cluster::Cluster(const Workspace& run, const ClusterFacts& facts, View view,
                 std::optional<bool> extended_resource_toleration)
    : view_(view) {
  const bool is_any_given = std::ranges::any_of(facts.pools, [&](const NodePool& pool) {
    return pool.object == nullptr || !run.is_linted(*pool.object);
  });
  if (view == View::now || is_any_given) {
    for (const NodePool& pool : facts.pools) nodes_.push_back(&pool);
  }
  admission_.extended_resource_toleration = extended_resource_toleration
                                                ? extended_resource_toleration
                                                : facts.extended_resource_toleration;
  const auto is_of_platform = [](const NodePool* pool) {
    return has_extended_resource_toleration(*pool);
  };
  if (!admission_.extended_resource_toleration && std::ranges::any_of(nodes_, is_of_platform)) {
    admission_.extended_resource_toleration = true;
  }
  admission_.runtime_classes = facts.runtime_classes;
  add_nodes();
  if (view == View::now) add_running_pods(run, facts);
}

void Cluster::add_nodes() {
  names_ = LabelColumn(size());
  generations_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) pod_places_.set(i, 0);
  unschedulable_ = without_allocatable_ = elastic_ = vague_ = abbreviated_ = none();
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::size_t> places;
  for (std::size_t i = 0; i < size(); ++i) {
    const NodePool& pool = node(i);
    const bool is_node = pool.object != nullptr && pool.object->is("", "Node");
    if (!is_node) {
      elastic_.insert(i);
      (pool.object != nullptr || pool.labels.empty() ? vague_ : abbreviated_).insert(i);
    } else {
      by_name_.try_emplace(pool.name, i);
      names_.set(i, pool.name);
    }
    for (const k8s::Label& label : pool.labels) {
      labels_.try_emplace(label.key, size()).first->second.set(i, label.value);
    }
    for (const k8s::Taint& taint : taints_of(i)) {
      const auto [place, is_new] =
          places.try_emplace(std::tuple(taint.key, taint.value, taint.effect), taints_.size());
      if (is_new) taints_.push_back({taint, none()});
      taints_[place->second].nodes.insert(i);
    }
    if (view_ == View::now && is_node &&
        yaml::boolean_of(pool.object->spec()["unschedulable"].text()) == true) {
      unschedulable_.insert(i);
    }
    add_room(i, allocatable_of(pool));
  }
  std::ranges::stable_sort(taints_, {}, [](const TaintedNodes& t) {
    return std::tuple(t.taint.key, t.taint.value, t.taint.effect);
  });
}

void Cluster::add_room(std::size_t i, const yaml::Node& allocatable) {
  if (!allocatable.is_mapping()) {
    without_allocatable_.insert(i);
    return;
  }
  for (const std::string_view basic : {"cpu", "memory", "ephemeral-storage", "pods"}) {
    // Who describes a pool rarely thinks of the number of pods.
    if (allocatable[basic] || (basic == "pods" && elastic_.contains(i))) continue;
    untold_.try_emplace(basic, none()).first->second.insert(i);
  }
  std::int64_t& places = pod_places_.find(i)->allocatable;
  if (elastic_.contains(i)) places = kMost;
  for (const yaml::Entry& entry : allocatable.entries()) {
    const auto amount = k8s::Quantity::parse(entry.value->text());
    if (entry.overridden || !amount) continue;
    const std::string_view name = entry.key->text();
    const std::int64_t value = amount_of(name, amount->rounded_to_milli());
    if (name == "pods") {
      places = value;
    } else {
      resources_[name].set(i, value);
    }
  }
}

void Cluster::add_running_pods(const Workspace& run, const ClusterFacts& facts) {
  for (const k8s::Object* object : facts.bound_pods) {
    if (!takes_room(*object, run)) continue;
    knows_pods_ = true;
    const auto node = find(object->spec()["nodeName"].text());
    if (!node) continue;
    pods_.add({running(*object), *node, (*object)["metadata"]["deletionTimestamp"].is_scalar()});
    use(pods_.all().back().pod, *node);
  }
}

std::optional<std::size_t> Cluster::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> Cluster::find_any(std::string_view name) const {
  if (const auto found = find(name)) return found;
  const auto pool = std::ranges::find(nodes_, name, &NodePool::name);
  return pool == nodes_.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(pool - nodes_.begin()));
}

std::vector<k8s::Taint> Cluster::taints_of(std::size_t i) const {
  std::vector<k8s::Taint> taints = node(i).taints;
  if (view_ == View::lasting) {
    std::erase_if(taints, [](const k8s::Taint& t) { return k8s::is_passing_taint(t.key); });
  }
  return taints;
}

const LabelColumn* Cluster::label(std::string_view key) const {
  const auto found = labels_.find(key);
  return found == labels_.end() ? nullptr : &found->second;
}

NodeSet Cluster::may_have_label(std::string_view key) const {
  return is_set_by_others(key) ? vague_ | abbreviated_ : vague_;
}

const ResourceColumn* Cluster::resource(std::string_view name) const {
  const auto found = resources_.find(name);
  return found == resources_.end() ? nullptr : &found->second;
}

const NodeSet* Cluster::untold(std::string_view resource) const {
  const auto found = untold_.find(resource);
  return found == untold_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> Cluster::resource_names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, column] : resources_) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

void Cluster::place(const Pod& pod, std::size_t node) {
  pods_.add_replica({pod, node, false, generations_[node]});
  use(pod, node);
}

void Cluster::renew(std::size_t node) {
  for (auto& [name, column] : resources_) {
    if (ResourceColumn::Room* room = column.find(node)) room->requested = 0;
  }
  pod_places_.find(node)->requested = 0;
  ++generations_[node];
}

void Cluster::use(const Pod& pod, std::size_t node) {
  std::int64_t& pods = pod_places_.find(node)->requested;
  pods = add(pods, 1);
  for (const Request& request : pod.requests) {
    const auto column = resources_.find(request.name);
    if (column == resources_.end()) continue;
    ResourceColumn::Room* room = column->second.find(node);
    if (room != nullptr) room->requested = add(room->requested, request.amount);
  }
}

}  // namespace cnsched::sim
