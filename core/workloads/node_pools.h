#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/k8s/object.h"
#include "core/k8s/selector.h"
#include "core/k8s/taint.h"

namespace cnsched {

/// A node, or the description of nodes that an autoscaler or provisioner creates.
struct NodePool {
  const k8s::Object* object = nullptr;  ///< null if .cnsched.yaml describes it
  std::string name;
  std::vector<k8s::Label> labels;
  std::vector<k8s::Taint> taints;  ///< lasting ones; start-up taints are gone before pods arrive

  /// Whose accelerators the nodes carry, if any, and what says so.
  const accelerators::Vendor* vendor = nullptr;
  const yaml::Node* evidence = nullptr;
  /// What a node offers to pods; missing if that is not known.
  const yaml::Node* allocatable = &yaml::missing_node();
  bool advertises = false;  ///< an allocatable accelerator: the device plugin runs
  /// The provider brings a device plugin of its own that tolerates the pool's taints.
  bool brings_own_plugin = false;
};

/// The nodes and node pools that an object describes: Node, Karpenter NodePool and Provisioner,
/// eksctl ClusterConfig, Cluster API and OpenShift machine templates.
std::vector<NodePool> node_pools_in(const k8s::Object& object);

/// Sets vendor and evidence from the labels of the pool, where nothing has set them yet.
void find_accelerator(NodePool& pool);

}  // namespace cnsched
