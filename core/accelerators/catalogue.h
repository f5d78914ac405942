#pragma once

#include <span>
#include <string_view>

namespace cnsched::accelerators {

enum class Vendor : unsigned char { nvidia, amd, intel, habana, aws, google, other };

std::string_view name_of(Vendor vendor);

/// A name under which a device plugin advertises accelerators. Source: facts in the vendors'
/// plugins, named in the table.
struct Resource {
  std::string_view name;  ///< whole, or a prefix where `is_prefix`
  Vendor vendor;
  bool is_prefix = false;
};

/// What a node label tells about the accelerator of its node.
enum class LabelMeaning : unsigned char {
  present,  ///< there is one: "true"
  product,  ///< its model
  count,
  memory,
  detail,  ///< anything else that only nodes with accelerators carry
};

struct NodeLabel {
  std::string_view key;  ///< whole, or a prefix where `is_prefix`
  Vendor vendor;
  std::string_view set_by;
  LabelMeaning meaning;
  bool is_prefix = false;
};

/// What is known of the device plugin that turns a vendor's cards into resources.
struct DevicePlugin {
  Vendor vendor;
  std::string_view name;
  std::string_view resource;  ///< what it advertises
  std::string_view
      tolerated_taint;  ///< key that its own manifests tolerate (NoSchedule); may be empty
};

/// The accelerator resource of this name, or null. Network devices are none.
const Resource* find_resource(std::string_view name);
/// Whether a resource is no device of its own: it tells how much of a device is asked for (HAMi's
/// memory and cores), belongs to a scheduler's way of sharing, or lets the container watch devices.
bool is_companion(std::string_view resource);
/// Every node label that tells something of an accelerator.
std::span<const NodeLabel> labels();
/// The node label of this key, or null if it tells nothing of an accelerator.
const NodeLabel* find_label(std::string_view key);
/// The vendor of the accelerators that a node with `key`: `value` has, as far as the label tells;
/// null if it tells nothing, or that there are none. instance-gpu-manufacturer may say "amd".
const Vendor* vendor_told_by(std::string_view key, std::string_view value);
/// Whether a node that carries `key`: `value` has an accelerator, as far as the label tells.
bool tells_accelerator(std::string_view key, std::string_view value);
/// The device plugin of a vendor, or null where none is described.
const DevicePlugin* find_plugin(Vendor vendor);
/// The device plugin whose DaemonSet runs this image (or is called so), or null.
const DevicePlugin* find_plugin_by_image(std::string_view image);
/// The vendor whose cards machines of this type carry (cloud instance types), or null.
/// Source: facts on EKS, Karpenter and AKS instance families.
const Vendor* vendor_of_instance_type(std::string_view type);

inline bool is_accelerator(std::string_view resource) { return find_resource(resource) != nullptr; }

}  // namespace cnsched::accelerators
