// The pools of devices as a node sees them: the slices of the newest generation that are for the
// node. Pools of which slices are missing are not used. Source: k8s.io/dynamic-resource-allocation
// 0.36, structured/internal/incubating/pools_incubating.go, GatherPools. The API versions v1,
// v1beta2 and v1beta1 (where `basic` has the fields of a device) are read alike.
#include "core/sim/devices/slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/sim/cluster.h"
#include "core/sim/node_match.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim::devices {

namespace {

using yaml::Node;

bool is_true_in(const Node& node) { return yaml::boolean_of(node.text()) == true; }

Attribute attribute_of(const yaml::Entry& entry) {
  Attribute attribute{.name = entry.key->text()};
  const Node& value = *entry.value;
  using enum Attribute::Type;
  if (value["int"]) {
    const auto integer = yaml::integer_of(value["int"]);
    attribute.type = integer ? Attribute::Type::integer : unsupported;
    attribute.integer = integer.value_or(0);
  } else if (value["bool"]) {
    attribute.type = Attribute::Type::boolean;
    attribute.boolean = is_true_in(value["bool"]);
  } else if (value["string"]) {
    attribute.type = string;
    attribute.text = value["string"].text();
  } else if (value["version"]) {
    attribute.type = version;
    attribute.text = value["version"].text();
  }
  return attribute;
}

std::optional<Quantity> optional_quantity(const Node& node) {
  return node.is_scalar() ? std::optional(quantity_in(node)) : std::nullopt;
}

Capacity capacity_of(const yaml::Entry& entry) {
  Capacity capacity{.name = entry.key->text()};
  const Node& value = *entry.value;
  capacity.value = quantity_in(value.is_mapping() ? value["value"] : value);
  const Node& policy = value["requestPolicy"];
  capacity.standard = optional_quantity(policy["default"]);
  const Node& range = policy["validRange"];
  capacity.has_range = range.is_mapping();
  capacity.min = optional_quantity(range["min"]);
  capacity.max = optional_quantity(range["max"]);
  capacity.step = optional_quantity(range["step"]);
  for (const Node* each : policy["validValues"].items()) {
    capacity.valid_values.push_back(quantity_in(*each));
  }
  return capacity;
}

std::vector<CounterUse> counter_uses_in(const Node& list) {
  std::vector<CounterUse> uses;
  for (const Node* use : list.items()) {
    uses.push_back({(*use)["counterSet"].text(), quantities_in((*use)["counters"])});
  }
  return uses;
}

Device device_of(const Node& node) {
  const Node& fields = node["basic"].is_mapping() ? node["basic"] : node;
  Device device{.name = node["name"].text()};
  device.allows_multiple = is_true_in(fields["allowMultipleAllocations"]);
  device.has_binding_conditions = !fields["bindingConditions"].is_empty();
  device.binds_to_node = is_true_in(fields["bindsToNode"]);
  device.reach = reach_in(fields);
  device.counter_uses = counter_uses_in(fields["consumesCounters"]);
  for (const Node* taint : fields["taints"].items()) {
    const std::string_view effect = (*taint)["effect"].text();
    if (effect != "NoSchedule" && effect != "NoExecute") continue;
    device.taints.push_back({(*taint)["key"].text(), (*taint)["value"].text(), effect});
  }
  for (const yaml::Entry& entry : fields["attributes"].entries()) {
    if (!entry.overridden) device.attributes.push_back(attribute_of(entry));
  }
  for (const yaml::Entry& entry : fields["capacity"].entries()) {
    if (!entry.overridden) device.capacities.push_back(capacity_of(entry));
  }
  std::ranges::sort(device.attributes, {}, &Attribute::name);
  std::ranges::sort(device.capacities, {}, &Capacity::name);
  return device;
}

Slice slice_of(const k8s::Object& object) {
  const Node& spec = object.spec();
  Slice slice{.name = object.name, .driver = spec["driver"].text()};
  const Node& pool = spec["pool"];
  slice.pool = pool["name"].text();
  slice.generation = yaml::integer_of(pool["generation"]).value_or(0);
  slice.slices_in_pool = yaml::integer_of(pool["resourceSliceCount"]).value_or(0);
  slice.selects_per_device = is_true_in(spec["perDeviceNodeSelection"]);
  slice.reach = reach_in(spec);
  for (const Node* set : spec["sharedCounters"].items()) {
    slice.shared_counters.push_back({(*set)["name"].text(), quantities_in((*set)["counters"])});
  }
  for (const Node* device : spec["devices"].items()) slice.devices.push_back(device_of(*device));
  return slice;
}

/// The parts of a text must not run into each other.
void append_part(std::string& key, std::string_view part) {
  key += fmt::format("{}:{}", part.size(), part);
}

std::string device_key(std::string_view driver, std::string_view pool, std::string_view device) {
  std::string key;
  for (const std::string_view part : {driver, pool, device}) append_part(key, part);
  return key;
}

/// Everything that a selector can read.
std::string model_key(const Device& device, std::string_view driver) {
  std::string key;
  append_part(key, driver);
  key += device.allows_multiple ? 'm' : 's';
  for (const Attribute& attribute : device.attributes) {
    append_part(key, attribute.name);
    append_part(key, attribute.text);
    key += fmt::format("{},{},{};", static_cast<int>(attribute.type), attribute.integer,
                       attribute.boolean);
  }
  for (const Capacity& capacity : device.capacities) {
    append_part(key, capacity.name);
    append_part(key, capacity.value.canonical());
  }
  return key;
}

bool has_duplicate_devices(const std::vector<const Slice*>& slices) {
  std::set<std::string_view> names;
  return std::ranges::any_of(slices, [&](const Slice* slice) {
    return std::ranges::any_of(
        slice->devices, [&](const Device& device) { return !names.insert(device.name).second; });
  });
}

bool has_duplicate_sets(const std::vector<const CounterSet*>& sets) {
  std::set<std::string_view> names;
  return std::ranges::any_of(
      sets, [&](const CounterSet* set) { return !names.insert(set->name).second; });
}

/// Whether all counters that the use names are in the pool.
bool is_resolved(const CounterUse& use, const std::vector<const CounterSet*>& sets) {
  const auto set = std::ranges::find(sets, use.counter_set, &CounterSet::name);
  if (set == sets.end()) return false;
  return std::ranges::all_of(use.counters, [&](const auto& used) {
    return std::ranges::any_of((*set)->counters,
                               [&](const auto& counter) { return counter.first == used.first; });
  });
}

bool has_unresolved_counters(const std::vector<const Slice*>& slices,
                             const std::vector<const CounterSet*>& sets) {
  return std::ranges::any_of(slices, [&](const Slice* slice) {
    return std::ranges::any_of(slice->devices, [&](const Device& device) {
      return !std::ranges::all_of(device.counter_uses,
                                  [&](const CounterUse& use) { return is_resolved(use, sets); });
    });
  });
}

}  // namespace

Quantity quantity_in(const Node& node) {
  const auto quantity = Quantity::parse(node.text());
  return quantity ? *quantity : Quantity();
}

NamedQuantities quantities_in(const Node& mapping) {
  NamedQuantities quantities;
  for (const yaml::Entry& entry : mapping.entries()) {
    if (entry.overridden) continue;
    const Node& value = entry.value->is_mapping() ? (*entry.value)["value"] : *entry.value;
    quantities.emplace_back(entry.key->text(), quantity_in(value));
  }
  return quantities;
}

const Attribute* Device::attribute(std::string_view qualified, std::string_view driver) const {
  const auto find = [&](std::string_view of) {
    const auto found = std::ranges::lower_bound(attributes, of, {}, &Attribute::name);
    return found == attributes.end() || found->name != of ? nullptr : &*found;
  };
  if (const Attribute* found = find(qualified)) return found;
  const std::size_t slash = qualified.find('/');
  if (slash == std::string_view::npos || qualified.substr(0, slash) != driver) return nullptr;
  return find(qualified.substr(slash + 1));
}

std::string Pool::id() const { return fmt::format("{}/{}", driver, name); }

Inventory::Inventory(const std::vector<const k8s::Object*>& slices, const Cluster& cluster) {
  std::set<std::string_view> names;
  slices_.reserve(slices.size());
  for (const k8s::Object* object : slices) {
    if (names.insert(object->name).second) slices_.push_back(slice_of(*object));
  }
  for (Slice& slice : slices_) number(slice);
  for (std::size_t i = 0; i < cluster.size(); ++i) node_names_.push_back(cluster.node(i).name);
  for (const Slice& slice : slices_) {
    by_pool_[{slice.driver, slice.pool}].push_back(&slice);
    const bool is_shared = slice.reach.node_name.empty() || !slice.shared_counters.empty();
    (is_shared ? shared_ : on_node_[slice.reach.node_name]).push_back(&slice);
    reach_.add(slice.reach, cluster);
    for (const Device& device : slice.devices) reach_.add(device.reach, cluster);
  }
}

void Inventory::number(Slice& slice) {
  for (Device& device : slice.devices) {
    device.id = ids_.try_emplace(device_key(slice.driver, slice.pool, device.name),
                                 static_cast<std::uint32_t>(ids_.size()))
                    .first->second;
    device.model = models_
                       .try_emplace(model_key(device, slice.driver),
                                    static_cast<std::uint32_t>(models_.size()))
                       .first->second;
  }
}

std::optional<std::uint32_t> Inventory::find_id(std::string_view driver, std::string_view pool,
                                                std::string_view device) const {
  const auto found = ids_.find(device_key(driver, pool, device));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

bool Inventory::includes(const NodeReach& reach, std::size_t node) const {
  return reach_.includes(reach, node, node_names_[node]);
}

bool Inventory::is_relevant(const Slice& slice, std::size_t node) const {
  if (!slice.shared_counters.empty()) return true;
  if (slice.reach.is_stated()) return includes(slice.reach, node);
  return slice.selects_per_device && std::ranges::any_of(slice.devices, [&](const Device& device) {
           return includes(device.reach, node);
         });
}

std::vector<Pool> Inventory::pools_on(std::size_t node) {
  std::map<PoolKey, Slices> newest;
  const auto add = [&](const Slices& slices) {
    for (const Slice* slice : slices) {
      if (!is_relevant(*slice, node)) continue;
      Slices& of_pool = newest[{slice->driver, slice->pool}];
      if (!of_pool.empty() && slice->generation < of_pool.front()->generation) continue;
      if (!of_pool.empty() && slice->generation > of_pool.front()->generation) of_pool.clear();
      of_pool.push_back(slice);
    }
  };
  if (const auto own = on_node_.find(node_names_[node]); own != on_node_.end()) add(own->second);
  add(shared_);
  std::vector<Pool> pools;
  for (const auto& [key, slices] : newest) {
    if (auto pool = pool_of(key, slices)) pools.push_back(*std::move(pool));
  }
  // Already sorted by driver and name.
  std::ranges::stable_sort(pools, {}, &Pool::has_binding_conditions);
  return pools;
}

std::optional<Pool> Inventory::pool_of(const PoolKey& key, const Slices& slices) {
  constexpr std::size_t kMaxKept = 1'000'000;
  const auto found = pools_.find(slices);
  if (found != pools_.end()) return found->second;
  std::optional<Pool> pool = made_pool(key, slices);
  const std::size_t size = 2 * slices.size() + (pool ? pool->other_slices.size() : 0);
  if (kept_slices_ + size <= kMaxKept) {
    kept_slices_ += size;
    pools_.emplace(slices, pool);
  }
  return pool;
}

/// Nothing if a newer generation of the pool has no slice for the node.
std::optional<Pool> Inventory::made_pool(const PoolKey& key, const Slices& slices) const {
  Pool pool{.driver = key.first, .name = key.second};
  const Slice& first = *slices.front();
  const auto is_complete = [&](const Slices& of_pool) {
    return static_cast<std::int64_t>(of_pool.size()) == first.slices_in_pool;
  };
  if (is_complete(slices)) {
    fill(pool, slices, nullptr);
    return pool;
  }
  Slices all;
  for (const Slice* slice : by_pool_.at(key)) {
    if (slice->generation > first.generation) return std::nullopt;
    if (slice->generation == first.generation) all.push_back(slice);
  }
  pool.is_incomplete = !is_complete(all);
  if (!pool.is_incomplete) fill(pool, slices, &all);
  return pool;
}

void Inventory::fill(Pool& pool, const Slices& slices, const Slices* all) {
  Slices sorted = slices;
  std::ranges::sort(sorted, {}, &Slice::name);
  for (const Slice* slice : sorted) {
    if (slice->shared_counters.empty()) {
      pool.slices.push_back(slice);
    } else {
      for (const CounterSet& set : slice->shared_counters) pool.counter_sets.push_back(&set);
    }
  }
  pool.is_invalid = has_duplicate_devices(pool.slices) || has_duplicate_sets(pool.counter_sets) ||
                    has_unresolved_counters(sorted, pool.counter_sets);
  if (all != nullptr && all->size() != slices.size()) {
    for (const Slice* slice : *all) {
      if (!is_one_of(slice, slices)) pool.other_slices.push_back(slice);
    }
    pool.is_invalid =
        pool.is_invalid || has_unresolved_counters(pool.other_slices, pool.counter_sets);
  }
  if (pool.is_invalid) {
    pool.slices.clear();
    pool.other_slices.clear();
    return;
  }
  pool.has_binding_conditions = std::ranges::any_of(pool.slices, [](const Slice* slice) {
    return std::ranges::any_of(slice->devices, &Device::has_binding_conditions);
  });
}

// Source: k8s.io/dynamic-resource-allocation 0.36, structured/internal/incubating
// pools_incubating.go, NodeMatches.

NodeReach reach_in(const yaml::Node& mapping) {
  NodeReach reach;
  reach.node_name = mapping["nodeName"].text();
  reach.all_nodes = yaml::boolean_of(mapping["allNodes"].text()) == true;
  const yaml::Node& selector = mapping["nodeSelector"];
  if (selector.is_mapping()) reach.selector = &selector;
  return reach;
}

void ReachIndex::add(const NodeReach& reach, const Cluster& cluster) {
  if (reach.selector == nullptr || selected_.contains(reach.selector)) return;
  selected_.emplace(reach.selector, nodes_selected_by(*reach.selector, cluster).certain);
}

bool ReachIndex::includes(const NodeReach& reach, std::size_t node, std::string_view name) const {
  if (!reach.node_name.empty()) return reach.node_name == name;
  if (reach.all_nodes) return true;
  if (reach.selector == nullptr) return false;
  const auto found = selected_.find(reach.selector);
  return found != selected_.end() && found->second.contains(node);
}

}  // namespace cnsched::sim::devices
