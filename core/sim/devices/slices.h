#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/quantity.h"
#include "core/k8s/object.h"
#include "core/sim/devices/in_use.h"
#include "core/sim/node_set.h"
#include "core/yaml/node.h"

namespace cnsched::sim {

class Cluster;

namespace devices {

/// The nodes that can use a device, as ResourceSlices and allocations state them.
struct NodeReach {
  std::string_view node_name;
  bool all_nodes = false;
  const yaml::Node* selector = nullptr;  ///< a NodeSelector; null if there is none

  bool is_stated() const { return !node_name.empty() || all_nodes || selector != nullptr; }
};

/// The fields nodeName, allNodes and nodeSelector of a mapping.
NodeReach reach_in(const yaml::Node& mapping);

/// The nodes that each NodeSelector selects, computed once.
class ReachIndex {
 public:
  void add(const NodeReach& reach, const Cluster& cluster);
  /// Whether the reach, which was added, includes the node of that name and index.
  bool includes(const NodeReach& reach, std::size_t node, std::string_view name) const;

 private:
  std::map<const yaml::Node*, NodeSet> selected_;
};

}  // namespace devices

class Cluster;

namespace devices {

/// A taint of a device that prevents allocation.
struct DeviceTaint {
  std::string_view key;
  std::string_view value;
  std::string_view effect;
};

/// An attribute of a device: exactly one of the types of the API.
struct Attribute {
  enum class Type : std::uint8_t { string, integer, boolean, version, unsupported };
  std::string_view name;  ///< as written, perhaps without domain
  Type type = Type::unsupported;
  std::string_view text;  ///< of a string or version
  std::int64_t integer = 0;
  bool boolean = false;

  /// Whether both have the same type and value.
  bool same_value(const Attribute& other) const {
    return type == other.type && text == other.text && integer == other.integer &&
           boolean == other.boolean;
  }
};

/// An amount that a device has, and how requests for a part of it are rounded.
struct Capacity {
  std::string_view name;
  Quantity value;
  std::optional<Quantity> standard;  ///< requestPolicy.default
  std::vector<Quantity> valid_values;
  bool has_range = false;
  std::optional<Quantity> min, max, step;
};

/// What a device takes from the counters of its pool.
struct CounterUse {
  std::string_view counter_set;
  NamedQuantities counters;
};

struct Device {
  std::string_view name;
  std::uint32_t id = 0;     ///< the same for all slices that list (driver, pool, name)
  std::uint32_t model = 0;  ///< devices of one model are the same for selectors
  bool allows_multiple = false;
  bool has_binding_conditions = false;
  bool binds_to_node = false;
  NodeReach reach;  ///< with perDeviceNodeSelection
  std::vector<DeviceTaint> taints;
  std::vector<CounterUse> counter_uses;
  std::vector<Attribute> attributes;
  std::vector<Capacity> capacities;

  /// The attribute of that fully qualified name; null if the device does not have it.
  const Attribute* attribute(std::string_view qualified, std::string_view driver) const;
};

struct CounterSet {
  std::string_view name;
  NamedQuantities counters;
};

/// A ResourceSlice.
struct Slice {
  std::string_view name;
  std::string_view driver;
  std::string_view pool;
  std::int64_t generation = 0;
  std::int64_t slices_in_pool = 0;
  bool selects_per_device = false;
  NodeReach reach;
  std::vector<CounterSet> shared_counters;
  std::vector<Device> devices;
};

/// A pool as one node sees it.
struct Pool {
  std::string_view driver;
  std::string_view name;
  bool is_incomplete = false;
  bool is_invalid = false;
  bool has_binding_conditions = false;
  std::vector<const Slice*> slices;        ///< with devices that the node may use, by name
  std::vector<const Slice*> other_slices;  ///< the rest of the pool, whose devices use counters
  std::vector<const CounterSet*> counter_sets;

  /// "driver/pool".
  std::string id() const;
};

/// The ResourceSlices of a cluster. It does not change when pods are placed.
class Inventory {
 public:
  /// `cluster` is read for its nodes.
  Inventory(const std::vector<const k8s::Object*>& slices, const Cluster& cluster);
  Inventory(const Inventory&) = delete;
  Inventory& operator=(const Inventory&) = delete;

  /// The pools that the node may use, in the order in which devices are tried.
  std::vector<Pool> pools_on(std::size_t node);
  /// The id of a device; nothing if no slice lists it.
  std::optional<std::uint32_t> find_id(std::string_view driver, std::string_view pool,
                                       std::string_view device) const;
  std::size_t ids() const { return ids_.size(); }
  /// Whether the node can use what has this reach, which is that of a slice or device.
  bool includes(const NodeReach& reach, std::size_t node) const;

 private:
  using PoolKey = std::pair<std::string_view, std::string_view>;
  using Slices = std::vector<const Slice*>;

  void add(const k8s::Object& object);
  void number(Slice& slice);
  bool is_relevant(const Slice& slice, std::size_t node) const;
  std::optional<Pool> pool_of(const PoolKey& key, const Slices& slices);
  std::optional<Pool> made_pool(const PoolKey& key, const Slices& slices) const;
  static void fill(Pool& pool, const Slices& slices, const Slices* all);

  std::vector<Slice> slices_;
  std::map<PoolKey, Slices> by_pool_;
  std::unordered_map<std::string_view, Slices> on_node_;
  Slices shared_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::unordered_map<std::string, std::uint32_t> models_;
  std::vector<std::string_view> node_names_;
  ReachIndex reach_;
  /// Many nodes see the same slices of a pool.
  std::map<Slices, std::optional<Pool>> pools_;
  std::size_t kept_slices_ = 0;  ///< in `pools_`
};

/// The quantity of a scalar, or 0.
Quantity quantity_in(const yaml::Node& node);
NamedQuantities quantities_in(const yaml::Node& mapping);

}  // namespace devices

}  // namespace cnsched::sim
