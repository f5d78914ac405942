#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/quantity.h"
#include "core/k8s/object.h"
#include "core/k8s/pod_spec.h"
#include "core/sim/attachments.h"
#include "core/sim/node_set.h"
#include "core/sim/pod.h"

namespace cnsched {
class ClusterScope;
}

namespace cnsched::sim {

class Cluster;
struct RunningPod;

/// The nodes that can use a volume. Many volumes can be used on one node only, so it is no NodeSet.
struct Reach {
  std::vector<std::uint32_t> certain;
  std::vector<std::uint32_t> possible;  ///< it is unknown whether these can; not in `certain`
};

/// A PersistentVolume.
struct Volume {
  const k8s::Object* object = nullptr;
  std::string_view class_name;
  Quantity capacity;
  std::uint8_t access_modes = 0;
  std::string_view mode;               ///< volumeMode
  std::string_view attributes_class;   ///< volumeAttributesClassName
  std::uint32_t reach = 0;             ///< by its node affinity
  std::uint32_t translated_reach = 0;  ///< on the nodes where CSI replaces its plugin
  std::string_view plugin{};           ///< in-tree plugin that CSI replaces
  std::string untranslatable{};        ///< csi-translation-lib's error
  bool is_deleted = false;
};

/// A CSIStorageCapacity.
struct StorageCapacity {
  std::optional<std::int64_t> largest_volume;  ///< in bytes; nothing: no volume
  std::optional<std::int64_t> free;
  std::uint32_t reach = 0;
};

struct StorageClass {
  std::string_view name;
  std::string_view provisioner;
  bool waits_for_consumer = false;
  const yaml::Node* allowed_topologies = nullptr;
  NodeBounds allowed{};  ///< the nodes in allowedTopologies; all if there are none

  bool provisions() const;
};

/// A PersistentVolumeClaim of a pod.
struct Claim {
  enum class State : unsigned char {
    given,    ///< the cluster has it
    future,   ///< it is created together with the pod, or before it
    missing,  ///< nothing creates it
    unknown,  ///< `doubt` says what is not given
  };
  State state = State::unknown;
  const PodVolume* volume = nullptr;
  std::string key;                                 ///< "ml/model"
  const k8s::Object* object = nullptr;             ///< null if it is made for the pod, or not known
  const yaml::Node* root = &yaml::missing_node();  ///< its metadata and spec
  std::string doubt{};

  const yaml::Node& spec() const { return (*root)["spec"]; }
  const yaml::Node& metadata() const { return (*root)["metadata"]; }
  const yaml::Node& annotation(std::string_view name_of_annotation) const {
    return metadata()["annotations"].under(name_of_annotation);
  }
  bool is_given() const { return state == State::given; }
  std::string_view name() const { return std::string_view(key).substr(key.find('/') + 1); }
  /// "PersistentVolumeClaim 'ml/model'".
  std::string text() const;
  bool has_access_mode(std::string_view mode) const;
  /// The requested size; 0 if there is none.
  Quantity size() const;
};
std::uint8_t access_modes_in(const yaml::Node& list);

/// A claim of which the simulation decided the volume when it placed a pod.
struct SettledClaim {
  std::optional<std::uint32_t> volume;  ///< nothing: it is provisioned for the node
  std::size_t node = 0;
  std::uint32_t generation = 0;
};

/// What is known of the storage of a cluster. It does not change when pods are placed.
class StorageFacts {
 public:
  StorageFacts(const Cluster& cluster, const ClusterScope& scope);

  const std::vector<Volume>& volumes() const { return volumes_; }
  const Reach& reach(std::uint32_t i) const { return reaches_[i]; }
  std::size_t reaches() const { return reaches_.size(); }
  /// The nodes on which CSI replaces the in-tree plugin; null if there are none.
  const NodeSet* migrated(std::string_view plugin) const;
  std::optional<std::uint32_t> volume(std::string_view name) const;
  /// The volumes that name a claim, "ml/model".
  const std::vector<std::uint32_t>& volumes_for(const std::string& claim) const;
  /// The volumes of the class that no claim has, by capacity.
  const std::vector<std::uint32_t>& free_volumes(std::string_view class_name) const;
  const StorageClass* storage_class(std::string_view name) const;
  /// The class of claims without storageClassName; null if there is none.
  const StorageClass* default_class() const { return default_class_; }
  const std::vector<StorageCapacity>& capacities(std::string_view class_name) const;
  /// Whether the CSIDriver is given, and kube-scheduler checks its capacity.
  Truth checks_capacity(std::string_view driver) const;
  /// The claims of that name, in any namespace.
  const std::vector<const k8s::Object*>& claims(std::string_view name) const;
  /// Whether the object does not exist yet: a manifest describes it.
  bool is_future(const k8s::Object& object) const { return future_.contains(&object); }

 private:
  void add_future(const Cluster& cluster, const ClusterScope& scope);
  void add_classes(const Cluster& cluster);
  void add_volumes(const Cluster& cluster);
  void add_volume(const k8s::Object& object, const Cluster& cluster);
  void add_capacities(const Cluster& cluster);
  void add_claims(const Cluster& cluster);
  void add_csi(const Cluster& cluster);
  std::uint32_t reach_of(bool is_limited, const std::vector<k8s::NodeSelectorTerm>& terms,
                         const Cluster& cluster);

  std::vector<Reach> reaches_;
  std::unordered_map<std::string, std::uint32_t> reach_by_terms_;
  /// By key and value of a label, the nodes that have it.
  std::unordered_map<std::string_view,
                     std::unordered_map<std::string_view, std::vector<std::uint32_t>>>
      nodes_by_label_;
  std::vector<Volume> volumes_;
  std::unordered_map<std::string_view, std::uint32_t> volume_by_name_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> volumes_by_claim_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> free_volumes_;
  std::map<std::string_view, StorageClass> classes_;
  const StorageClass* default_class_ = nullptr;
  std::unordered_map<std::string_view, std::vector<StorageCapacity>> capacities_;
  std::map<std::string_view, bool> drivers_;
  std::map<std::string_view, NodeSet> migrated_;
  std::unordered_map<std::string_view, std::vector<const k8s::Object*>> claims_;  ///< by name
  std::unordered_set<const k8s::Object*> future_;
};

/// The volumes that placing a pod on a node takes.
struct VolumeChoices {
  struct Choice {
    Claim claim;
    std::string_view class_name{};
    std::optional<std::uint32_t> volume;    ///< nothing: it is provisioned
    std::optional<std::uint32_t> capacity;  ///< of its class, from which it is provisioned
  };
  std::vector<Choice> choices;
};

/// The storage of a cluster: the facts, and which parts of it pods use.
class Storage {
 public:
  Storage() = default;
  Storage(const Cluster& cluster, const ClusterScope& scope);

  const StorageFacts& facts() const { return *facts_; }
  /// The claim of a volume of the pod.
  Claim claim_of(const PodVolume& volume, const Pod& pod, const Cluster& cluster) const;
  /// The class of the claim: empty if it has none, nothing if that is unknown.
  std::optional<std::string_view> class_of(const Claim& claim, const Cluster& cluster) const;
  /// Null if no placed pod uses the claim.
  const SettledClaim* settled(const std::string& claim) const;
  bool is_taken(std::uint32_t volume) const { return taken_.contains(volume); }
  /// The bytes that placed pods use of a capacity object of the class.
  std::int64_t used(std::string_view class_name, std::uint32_t capacity) const;

  /// The running pods, by index, that have a volume of the claim.
  const std::vector<std::uint32_t>& users(const std::string& claim) const;
  /// The running pods that name disks themselves.
  const std::vector<std::uint32_t>& disk_users() const { return disk_users_; }
  const Attachments& attachments() const { return attachments_; }

  /// Counts the volumes of a running pod, which is the last of the cluster's.
  void add_running(const Cluster& cluster);
  /// Counts the volumes of another replica of a running pod.
  void add_replica(std::uint32_t index, const Cluster& cluster);
  /// Takes the volumes that the pod gets on the node.
  void take(const Pod& pod, const VolumeChoices& choices, std::size_t node,
            std::uint32_t generation);

 private:
  std::shared_ptr<const StorageFacts> facts_;
  std::unordered_set<std::uint32_t> taken_;
  std::map<std::string, SettledClaim> settled_;
  std::map<std::pair<std::string_view, std::uint32_t>, std::int64_t> used_;
  std::map<const yaml::Node*, std::int64_t> placed_;  ///< replicas, by pod spec
  std::unordered_map<std::string, std::vector<std::uint32_t>> users_;
  std::vector<std::uint32_t> disk_users_;
  Attachments attachments_;
};

/// "PersistentVolumeClaim 'ml/model' is not given (kubectl get pvc -A -o yaml prints it)".
std::string not_given(std::string_view what, std::string_view plural);

}  // namespace cnsched::sim
