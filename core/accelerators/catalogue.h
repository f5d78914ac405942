#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace cnsched::accelerators {

enum class Vendor : unsigned char { nvidia, amd, intel, habana, aws, google, other };

std::string_view name_of(Vendor vendor);
/// The vendor that tables name with the enumerator's word.
std::optional<Vendor> vendor_named(std::string_view word);

/// A name under which a device plugin advertises accelerators. Sources: the vendors' plugins, named
/// in the table.
struct Resource {
  std::string_view name;  ///< whole, or a prefix where `is_prefix`
  Vendor vendor;
  bool is_prefix = false;
};

/// What a node label says about the accelerator of its node.
enum class LabelMeaning : unsigned char {
  present,  ///< there is one: "true"
  product,  ///< its model
  count,
  memory,
  detail,  ///< any other label of nodes with accelerators only
};

struct NodeLabel {
  std::string_view key;  ///< whole, or a prefix where `is_prefix`
  Vendor vendor;
  std::string_view set_by;
  LabelMeaning meaning;
  bool is_prefix = false;
};

/// The device plugin that advertises the accelerators of a vendor.
struct DevicePlugin {
  Vendor vendor;
  std::string_view name;
  std::string_view resource;  ///< that it advertises
  /// Key of the NoSchedule taint that its default manifest tolerates; may be empty.
  std::string_view tolerated_taint;
};

/// A vendor by the beginning of a name: of a machine type, of a card.
struct VendorPrefix {
  std::string_view prefix;
  Vendor vendor;
};

/// The accelerator resource of this name, or null, as for network devices.
const Resource* find_resource(std::string_view name);
/// Whether a resource is not a device: that of a scheduler, or monitoring.
bool is_auxiliary_resource(std::string_view resource);
/// Whether it is a resource of a scheduler that shares devices, such as an amount of memory or
/// cores in HAMi. No node may list it: HAMi configures kube-scheduler to ignore it [A7].
bool is_resource_of_scheduler(std::string_view resource);
/// Every resource under which accelerators are advertised.
std::span<const Resource> resources();
/// Every known node label about accelerators.
std::span<const NodeLabel> labels();
/// The known node label with this key, or null.
const NodeLabel* find_label(std::string_view key);
/// The vendor of the accelerators of a node with `key`: `value`. Null if the label does not say, or
/// says that there are none. The value may name another vendor than the key: amd.
const Vendor* vendor_from_label(std::string_view key, std::string_view value);
/// The beginnings of label values that name a vendor.
std::span<const VendorPrefix> vendors_in_label_values();
/// Whether the label `key`: `value` means that the node has an accelerator.
bool indicates_accelerator(std::string_view key, std::string_view value);
/// The device plugin of a vendor, or null where none is described.
const DevicePlugin* find_plugin(Vendor vendor);
/// The device plugin whose DaemonSet has this image or name, or null.
const DevicePlugin* find_plugin_by_image(std::string_view image);
/// The beginnings of cloud instance types whose machines have accelerators.
std::span<const VendorPrefix> machine_vendors();
/// Every described device plugin.
std::span<const DevicePlugin> plugins();
/// The vendor of the accelerators in machines of this cloud instance type, or null.
const Vendor* vendor_of_instance_type(std::string_view type);

inline bool is_accelerator(std::string_view resource) { return find_resource(resource) != nullptr; }

}  // namespace cnsched::accelerators
