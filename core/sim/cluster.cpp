#include "core/sim/cluster.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/accelerators/catalogue.h"
#include "core/base/quantity.h"
#include "core/facts/known_pools.h"
#include "core/k8s/taint.h"
#include "core/sim/devices/device_facts.h"
#include "core/sim/devices/in_use.h"
#include "core/sim/volume_binder.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

constexpr std::int64_t kMaxAmount = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kStepsOfEviction = 2;

/// Saturates instead of overflowing.
std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? kMaxAmount : -kMaxAmount;
}

/// Without `allocatable`, the API server copies a Node's capacity.
const yaml::Node& allocatable_of(const facts::NodePool& pool) {
  if (pool.allocatable->is_mapping()) return *pool.allocatable;
  if (pool.object == nullptr) return yaml::missing_node();
  return (*pool.object)["status"]["capacity"];
}

/// Whether clouds, operators or the kubelet set the label. The author of a pool sets all others.
bool is_set_by_system(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash != std::string_view::npos;
}

/// Whether the Pod already runs on its node: it is in a file of facts, or it was printed from a
/// cluster.
bool is_running(const k8s::Object& pod, const ClusterScope& scope) {
  return !has_ended(pod) && (scope.is_fact(pod) || pod["status"]["phase"]);
}

/// Source: pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go,
/// podTerminatingByPreemption.
bool is_preempted(const k8s::Object& pod) {
  for (const yaml::Node* condition : pod["status"]["conditions"].items()) {
    if ((*condition)["type"].text() != "DisruptionTarget") continue;
    return (*condition)["status"].text() == "True" &&
           (*condition)["reason"].text() == "PreemptionByScheduler";
  }
  return false;
}

/// The entry of a node among entries in the order of nodes; the end if there is none. Most columns
/// have all nodes.
auto entry_of(std::size_t node, auto& entries) {
  const auto here = entries.begin() + static_cast<std::ptrdiff_t>(std::min(node, entries.size()));
  if (here != entries.end() && here->node == node) return here;
  const auto found =
      std::ranges::lower_bound(entries, node, {}, [](const auto& entry) { return entry.node; });
  return found == entries.end() || found->node != node ? entries.end() : found;
}

}  // namespace

void LabelColumn::set(std::size_t node, std::string_view value) {
  const auto [index, is_new] =
      index_of_.try_emplace(value, static_cast<std::uint32_t>(values_.size() + 1));
  if (is_new) values_.push_back(value);
  const Entry entry{static_cast<std::uint32_t>(node), index->second};
  if (!entries_.empty() && entries_.back().node == node) {
    entries_.back() = entry;
  } else {
    entries_.push_back(entry);
  }
}

std::uint32_t LabelColumn::value_index(std::size_t node) const {
  const auto found = entry_of(node, entries_);
  return found == entries_.end() ? 0 : found->value_index;
}

std::optional<std::string_view> LabelColumn::value_of(std::size_t node) const {
  const std::uint32_t index = value_index(node);
  return index == 0 ? std::nullopt : std::optional(values_[index - 1]);
}

NodeSet LabelColumn::nodes() const {
  NodeSet set(node_count_);
  for (const Entry& entry : entries_) set.insert(entry.node);
  return set;
}

std::int64_t ResourceColumn::NodeAmount::free() const { return add(allocatable, -requested); }

ResourceColumn::NodeAmount ResourceColumn::on(std::size_t node) const {
  const auto found = entry_of(node, amounts_);
  return found == amounts_.end() ? NodeAmount{node} : *found;
}

ResourceColumn::NodeAmount* ResourceColumn::find(std::size_t node) {
  const auto found = entry_of(node, amounts_);
  return found == amounts_.end() ? nullptr : &*found;
}

Cluster::Cluster(const ClusterScope& scope, const facts::ClusterFacts& facts, View view,
                 std::optional<bool> extended_resource_toleration, std::shared_ptr<Steps> steps)
    : view_(view), steps_(std::move(steps)), objects_(scope, facts) {
  const bool are_nodes_given = std::ranges::any_of(facts.pools, [&](const facts::NodePool& pool) {
    return pool.object == nullptr || scope.is_fact(*pool.object);
  });
  if (view == View::now || are_nodes_given) {
    for (const facts::NodePool& pool : facts.pools) nodes_.push_back(&pool);
  }
  kubernetes_ = facts.releases().kubernetes;
  add_nodes();
  has_pods_given_ = objects_.is_dump() && !facts.unread_types.contains("pods");
  namespaces_ = Namespaces(objects_[k8s::SchedulingKind::namespace_],
                           knows_all(k8s::SchedulingKind::namespace_));
  admission_ = admission_of(scope, facts, objects_);
  if (extended_resource_toleration) {
    admission_.extended_resource_toleration = truth_of(*extended_resource_toleration);
  }
  storage_ = Storage(*this, scope);
  using State = devices::DeviceFacts::State;
  device_facts_ = std::make_shared<devices::DeviceFacts>(
      objects(k8s::SchedulingKind::device_class), view == View::now ? State::read : State::ignored);
  if (view == View::now) add_running_pods(scope, facts);
}

void Cluster::add_nodes() {
  names_ = LabelColumn(size());
  generations_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) pod_slots_.set(i, 0);
  unschedulable_ = without_allocatable_ = autoscaled_ = labels_incomplete_ =
      system_labels_incomplete_ = none();
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::size_t> index_of;
  for (std::size_t i = 0; i < size(); ++i) {
    const facts::NodePool& pool = node(i);
    if (!pool.is_node()) {
      autoscaled_.insert(i);
      (pool.object != nullptr || pool.labels.empty() ? labels_incomplete_
                                                     : system_labels_incomplete_)
          .insert(i);
    } else {
      by_name_.try_emplace(pool.name, i);
      names_.set(i, pool.name);
    }
    for (const k8s::Label& label : pool.labels) {
      labels_.try_emplace(label.key, size()).first->second.set(i, label.value);
    }
    for (const k8s::Taint& taint : taints_of(i)) {
      const auto [index, is_new] =
          index_of.try_emplace(std::tuple(taint.key, taint.value, taint.effect), taints_.size());
      if (is_new) taints_.push_back({taint, none()});
      taints_[index->second].nodes.insert(i);
    }
    if (view_ == View::now && pool.is_node() &&
        yaml::boolean_of(pool.object->spec()["unschedulable"].text()) == true) {
      unschedulable_.insert(i);
    }
    add_allocatable(i, pool);
  }
  std::ranges::stable_sort(taints_, {}, [](const TaintedNodes& t) {
    return std::tuple(t.taint.key, t.taint.value, t.taint.effect);
  });
}

void Cluster::add_allocatable(std::size_t i, const facts::NodePool& pool) {
  const yaml::Node& allocatable = allocatable_of(pool);
  const bool is_offered = !allocatable.is_mapping() && !pool.offered.empty();
  if (!allocatable.is_mapping() && !is_offered) {
    without_allocatable_.insert(i);
    return;
  }
  const auto lists = [&](std::string_view resource) {
    return is_offered ? std::ranges::find(pool.offered, resource, &facts::PoolResource::name) !=
                            pool.offered.end()
                      : bool(allocatable.under(resource));
  };
  for (const std::string_view basic : {"cpu", "memory", "ephemeral-storage", "pods"}) {
    // Pools rarely list the number of pods.
    if (lists(basic) || (basic == "pods" && autoscaled_.contains(i))) continue;
    resources_unlisted_.try_emplace(basic, none()).first->second.insert(i);
  }
  if (autoscaled_.contains(i)) pod_slots_.find(i)->allocatable = kMaxAmount;
  for (const yaml::Entry& entry : allocatable.entries()) {
    const auto amount = Quantity::parse(entry.value->text());
    if (!entry.overridden && amount) add_allocatable(i, entry.key->text(), *amount);
  }
  if (!is_offered) return;
  for (const auto& [name, amount] : pool.offered) add_allocatable(i, name, amount);
}

void Cluster::add_allocatable(std::size_t i, std::string_view resource, const Quantity& amount) {
  const std::int64_t value = k8s::amount_of(resource, amount.rounded_to_milli());
  if (resource == "pods") {
    pod_slots_.find(i)->allocatable = value;
  } else {
    resources_[resource].set(i, value);
  }
}

void Cluster::add_running_pods(const ClusterScope& scope, const facts::ClusterFacts& facts) {
  for (const k8s::Object* object : facts.bound_pods) {
    const std::string_view bound_to = object->spec()["nodeName"].text();
    if (bound_to.empty()) {
      add_nominated_pod(*object, scope);
      continue;
    }
    if (!is_running(*object, scope)) continue;
    has_pods_given_ = true;
    const auto node = find(bound_to);
    if (!node) continue;
    const bool is_terminating = (*object)["metadata"]["deletionTimestamp"].is_scalar();
    pods_.add({.pod = running(*object, admission_),
               .node = *node,
               .is_terminating = is_terminating,
               .start_time = (*object)["status"]["startTime"].text(),
               .is_preempted = is_terminating && is_preempted(*object)});
    add_requests(pods_.all().back().pod, *node);
    const Pod& pod = pods_.all().back().pod;
    if (!pod.volumes.empty()) storage_.add_running(*this);
  }
}

void Cluster::add_nominated_pod(const k8s::Object& object, const ClusterScope& scope) {
  const auto node = find(object["status"]["nominatedNodeName"].text());
  const bool waits = object.spec()["schedulingGates"].is_empty() && !has_ended(object);
  if (!node || !waits || !scope.is_fact(object)) return;
  nominated_pods_.push_back(pods_.all().size());
  pods_.add({.pod = running(object, admission_), .node = *node, .count = 0, .is_nominated = true});
}

std::optional<std::size_t> Cluster::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> Cluster::find_any(std::string_view name) const {
  if (const auto found = find(name)) return found;
  const auto pool = std::ranges::find(nodes_, name, &facts::NodePool::name);
  return pool == nodes_.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(pool - nodes_.begin()));
}

std::vector<k8s::Taint> Cluster::taints_of(std::size_t i) const {
  std::vector<k8s::Taint> taints = node(i).taints;
  if (view_ == View::lasting) {
    std::erase_if(taints, [](const k8s::Taint& t) { return k8s::is_node_state_taint(t.key); });
  }
  return taints;
}

const LabelColumn* Cluster::label(std::string_view key) const {
  const auto found = labels_.find(key);
  return found == labels_.end() ? nullptr : &found->second;
}

NodeSet Cluster::may_have_label(std::string_view key) const {
  return is_set_by_system(key) ? labels_incomplete_ | system_labels_incomplete_
                               : labels_incomplete_;
}

const ResourceColumn* Cluster::resource(std::string_view name) const {
  const auto found = resources_.find(name);
  return found == resources_.end() ? nullptr : &found->second;
}

const NodeSet* Cluster::not_listing(std::string_view resource) const {
  const auto found = resources_unlisted_.find(resource);
  return found == resources_unlisted_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> Cluster::resource_names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, column] : resources_) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

const devices::DeviceClass* Cluster::class_serving(std::string_view resource) const {
  const devices::DeviceClasses& classes = device_facts_->classes();
  // The feature gate DRAExtendedResource is on by default since 1.36.
  if (classes.empty() || !runs_kubernetes(1, 36)) return nullptr;
  return classes.of_resource(resource);
}

void Cluster::place(const Pod& pod, std::size_t node) {
  devices::place_claims(pod, *this, node, placed_devices_);
  if (!pod.volumes.empty()) {
    const VolumeChoices choices = VolumeBinder(pod, *this).choices_on(node);
    storage_.take(pod, choices, node, generations_[node]);
  }
  const std::size_t pods = pods_.all().size();
  const std::uint32_t index = pods_.add_replica({pod, node, false, generations_[node]});
  add_requests(pod, node);
  if (pod.volumes.empty()) return;
  if (pods_.all().size() > pods) {
    storage_.add_running(*this);
  } else {
    storage_.add_replica(index, *this);
  }
}

void Cluster::replace_node(std::size_t node) {
  for (auto& [name, column] : resources_) {
    if (ResourceColumn::NodeAmount* amount = column.find(node)) amount->requested = 0;
  }
  pod_slots_.find(node)->requested = 0;
  ++generations_[node];
}

void Cluster::evict(std::size_t pod) {
  steps_->spend(kStepsOfEviction);
  pods_.evict(pod);
  const RunningPod& running = pods_.all()[pod];
  add_requests(running.pod, running.node, Change::removed);
}

void Cluster::end(std::size_t pod) {
  evict(pod);
  if (pods_.all()[pod].count == 0) pods_.free_ports(pod);
}

void Cluster::restore(std::size_t pod) {
  steps_->spend(kStepsOfEviction);
  pods_.restore(pod);
  const RunningPod& running = pods_.all()[pod];
  add_requests(running.pod, running.node);
}

void Cluster::add_requests(const Pod& pod, std::size_t node, Change change) {
  const auto sign = static_cast<std::int64_t>(change);
  std::int64_t& pods = pod_slots_.find(node)->requested;
  pods = add(pods, sign);
  for (const k8s::Request& request : pod.requests) {
    const auto column = resources_.find(request.name);
    if (column == resources_.end()) continue;
    ResourceColumn::NodeAmount* amount = column->second.find(node);
    if (amount != nullptr)
      amount->requested = add(amount->requested, sign * std::max(request.amount, -kMaxAmount));
  }
}

}  // namespace cnsched::sim
