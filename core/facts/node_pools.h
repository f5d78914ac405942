#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/base/quantity.h"
#include "core/k8s/object.h"
#include "core/k8s/pod_spec.h"
#include "core/k8s/selector.h"
#include "core/k8s/taint.h"

namespace cnsched::facts {

/// An amount of a resource: of a node that does not exist yet, or of all nodes of a pool.
struct PoolResource {
  std::string_view name;
  Quantity amount;
};

/// How many nodes an autoscaler may add to a pool, and of what kind.
struct Scaling {
  /// Karpenter's, on labels. Its nodes get labels that satisfy them and the pod's requirements.
  std::vector<k8s::Requirement> requirements;
  std::int64_t weight = 0;           ///< Karpenter tries the pool with the highest one first
  std::vector<PoolResource> limits;  ///< Karpenter's, on all nodes together; "nodes" counts them
  std::vector<PoolResource> used;    ///< of these, as Karpenter reports it
  /// What the cluster autoscaler expects of a new node if none exists.
  std::vector<PoolResource> capacity;
  std::vector<std::string_view> instance_types;  ///< a node has one of them; empty: unknown
  std::optional<std::int64_t> nodes;             ///< that exist or are wanted, if the pool says so
  std::optional<std::int64_t> max_nodes;
  bool is_fixed = false;  ///< the number of nodes does not depend on pods
  /// Why it is unknown whether an autoscaler manages the pool; empty if one does.
  std::string_view doubt;
  /// Labels that the cluster autoscaler does not know before the group has a node: nothing sets the
  /// tag kNodeTemplateLabel of its Auto Scaling group.
  std::vector<std::string_view> untagged_labels;
};

/// The beginning of the tags of an Auto Scaling group that tell the cluster autoscaler the labels
/// of a new node. Source: cluster-autoscaler/cloudprovider/aws/aws_manager.go,
/// extractLabelsFromAsg.
inline constexpr std::string_view kNodeTemplateLabel =
    "k8s.io/cluster-autoscaler/node-template/label/";

/// A node, or the description of nodes that an autoscaler or provisioner creates.
struct NodePool {
  const k8s::Object* object = nullptr;  ///< null if .cnsched.yaml describes it
  std::string name;
  std::vector<k8s::Label> labels;
  std::vector<k8s::Taint> taints;  ///< lasting ones; start-up taints are removed before pods arrive

  /// Whose accelerators the nodes carry, if any, and what says so.
  const accelerators::Vendor* vendor = nullptr;
  const yaml::Node* evidence = nullptr;
  /// What a node offers to pods; missing if that is not known.
  const yaml::Node* allocatable = &yaml::missing_node();
  bool advertises = false;  ///< an allocatable accelerator: the device plugin runs
  /// The provider brings a device plugin of its own that tolerates the pool's taints.
  bool brings_own_plugin = false;

  Scaling scaling;
  /// What a node of the pool would offer, by its machine type or the autoscaler's expectation. Used
  /// if `allocatable` is missing.
  std::vector<PoolResource> offered;

  bool is_node() const { return object != nullptr && object->is("", "Node"); }
  /// Whether the labels meet the requirements. Those of a Node are known; the description of a pool
  /// leaves out those that its nodes get from others (feature discovery, the cloud).
  Truth meets(const k8s::NodeRequirements& requirements) const {
    return requirements.matches(labels, is_node());
  }
};

/// "NodePool 'gpu'", "node group 'gpu'" of eksctl, "node pool 'gpu'" of the configuration.
std::string described(const NodePool& pool);
/// Whether Karpenter adds its nodes.
bool is_of_karpenter(const NodePool& pool);

/// The nodes and node pools that an object describes: Node, Karpenter NodePool and Provisioner,
/// eksctl ClusterConfig, Cluster API and OpenShift machine templates.
std::vector<NodePool> node_pools_in(const k8s::Object& object);

/// Sets vendor and evidence from the labels of the pool, where nothing has set them yet.
void find_accelerator(NodePool& pool);

}  // namespace cnsched::facts
