#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/k8s/pod_spec.h"
#include "core/sim/node_set.h"

namespace cnsched::sim {

class Cluster;
class Storage;
class StorageFacts;
struct Pod;

/// A volume of a pod that a CSI driver attaches to the node.
struct AttachedVolume {
  std::string_view driver;
  std::string id;       ///< equal for volumes that are attached only once
  bool is_own = false;  ///< every replica of the pod has another one
};

/// How many volumes each node can attach, by CSI driver, and how many it does.
class Attachments {
 public:
  Attachments() = default;
  Attachments(const Cluster& cluster, const StorageFacts& facts);

  /// Whether any node limits the number of volumes of any driver.
  bool has_limits() const { return !drivers_.empty(); }
  /// The nodes with a CSINode.
  const NodeSet& with_csi() const { return with_csi_; }
  /// The nodes whose CSINode limits any driver.
  const NodeSet& with_limits() const { return with_limits_; }

  struct Limit {
    std::uint32_t node = 0;
    std::int64_t count = 0;
    /// The node does not exist yet: the smallest limit of the cluster's nodes.
    bool is_assumed = false;
  };
  struct Driver {
    std::string_view name;
    std::vector<Limit> limits;
    /// At least the number of attached volumes, by node: those that pods share count repeatedly.
    std::vector<std::uint32_t> at_most;
    /// The VolumeAttachments, by node.
    std::unordered_map<std::uint32_t, std::vector<std::string>> attached;
  };
  /// Null if no node limits the driver.
  const Driver* driver(std::string_view name) const;
  /// The number of volumes that the node attaches after the pod with these volumes has started.
  std::int64_t count_with(const std::vector<AttachedVolume>& volumes, std::string_view driver,
                          std::size_t node, const Cluster& cluster) const;

  /// Why the volumes of a running pod cannot be counted.
  struct Failure {
    std::uint32_t pod = 0;
    std::string message;
  };
  const std::vector<Failure>& failures() const { return failures_; }

  /// Counts a running pod, by its index.
  void add_running(std::uint32_t pod, const Cluster& cluster, const Storage& storage);
  void add_replica(std::uint32_t pod, const Cluster& cluster);

 private:
  void add_csi_nodes(const Cluster& cluster);
  void add_assumed(const Cluster& cluster);
  void add_attached(const Cluster& cluster, const StorageFacts& facts);
  void count(std::uint32_t pod, std::size_t node);

  NodeSet with_csi_;
  NodeSet with_limits_;
  std::map<std::string_view, Driver> drivers_;
  std::unordered_map<std::uint32_t, std::vector<AttachedVolume>> by_pod_;
  std::vector<std::vector<std::uint32_t>> pods_on_;  ///< by node; only those in `by_pod_`
  std::vector<Failure> failures_;
};

/// The volumes of a pod that CSI drivers attach to a node with a CSINode. `failure` becomes
/// kube-scheduler's error if it cannot count them.
std::vector<AttachedVolume> attached_volumes(const Pod& pod, const Cluster& cluster,
                                             const Storage& storage, std::string& failure);

/// A volume of a pod for which the state of the cluster decides which nodes can mount it.
struct PodVolume {
  enum class Kind : unsigned char {
    claim,      ///< a PersistentVolumeClaim of that name
    ephemeral,  ///< a claim that is made for the pod, from the volume's own template
    of_set,     ///< a claim that a StatefulSet makes for the pod
    disk,       ///< a disk that the pod names itself
  };
  Kind kind = Kind::claim;
  std::string_view name;
  const yaml::Node* node = nullptr;  ///< the volume, or the claim template of the set
  /// The name of the claim; without the ordinal of the pod for `of_set`, and without the name of
  /// the pod for `ephemeral`.
  std::string claim{};
  /// metadata and spec of the claim that is made; otherwise missing.
  const yaml::Node* made_from = nullptr;
  std::int64_t first_ordinal = 0;  ///< of the set

  /// Whether every replica has a claim of its own.
  bool is_own() const { return kind == Kind::ephemeral || kind == Kind::of_set; }
  bool has_claim() const { return kind != Kind::disk; }
};

/// The volumes that the filters evaluate. `claim_templates` of the StatefulSet, of that name and
/// with the first ordinal `start`.
std::vector<PodVolume> volumes_of(const k8s::PodSpec& spec,
                                  const yaml::Node& claim_templates = yaml::missing_node(),
                                  std::string_view set = {},
                                  const yaml::Node& start = yaml::missing_node());

// Labels of Nodes and PersistentVolumes, and those that preceded them in releases before 1.17.
inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegion = "topology.kubernetes.io/region";
inline constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
inline constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";

}  // namespace cnsched::sim
