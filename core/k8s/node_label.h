#pragma once

#include <string_view>

namespace cnsched::k8s {

/// A label of nodes that is to be replaced by another.
struct DeprecatedNodeLabel {
  enum class Owner : unsigned char {
    kubernetes,  ///< the API server warns of it
    aks,         ///< of names that other clusters may well use for labels of their own
  };
  std::string_view key;
  std::string_view current;  ///< empty where nothing takes its place
  Owner owner = Owner::kubernetes;
  /// Nodes carry both, with the same value. Otherwise only old nodes carry it.
  bool beside_current = true;
};

/// The deprecated label of this name, or null. Sources: k8s.io/kubernetes pkg/api/node/util.go,
/// pkg/kubelet/kubelet_node_status.go; AKS's documentation on node labels.
const DeprecatedNodeLabel* find_deprecated_node_label(std::string_view key);

/// The name that nodes carry today beside one that Kubernetes has deprecated, with the same value
/// (beta.kubernetes.io/arch), or `key` itself.
std::string_view current_node_label(std::string_view key);

/// Whether it tells the type of the machine, by today's name or the deprecated one.
bool is_instance_type_label(std::string_view key);

}  // namespace cnsched::k8s
