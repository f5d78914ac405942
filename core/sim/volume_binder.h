#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sim/cluster.h"
#include "core/sim/node_set.h"
#include "core/sim/pod.h"
#include "core/sim/storage.h"

namespace cnsched::sim {

/// Whether the pod is the controller of the claim.
bool is_owner(const Claim& claim, const Pod& pod);
/// What kube-scheduler says if it is not.
std::string not_owned(const Claim& claim, const Pod& pod);

/// Which nodes can use, or get, the volumes of a pod's claims: the binder of kube-scheduler's
/// plugin VolumeBinding. It works on all nodes at once.
class VolumeBinder {
 public:
  /// The pod and the cluster must outlive it.
  VolumeBinder(const Pod& pod, const Cluster& cluster);
  VolumeBinder(const VolumeBinder&) = delete;
  VolumeBinder& operator=(const VolumeBinder&) = delete;

  /// Why kube-scheduler rejects the pod before it looks at nodes; empty if it does not.
  const std::string& rejection() const { return rejection_; }
  bool has_claims() const { return !claims_.empty(); }

  struct Conflict {
    enum class Kind : unsigned char {
      affinity,   ///< the node cannot use the bound volume
      unbound,    ///< no volume for the claim is available to the node
      space,      ///< none can be provisioned: too little capacity
      no_volume,  ///< the bound volume does not exist
      error,      ///< kube-scheduler's attempt fails; `reason` is its message
      unknown,    ///< `reason` says what is not known
    };
    Kind kind = Kind::unknown;
    NodeSet nodes;
    std::string reason{};
    const yaml::Node* in_pod = nullptr;         ///< the volume
    const k8s::Object* bound_volume = nullptr;  ///< whose node affinity conflicts
  };
  /// Compares the claims with all nodes.
  const std::vector<Conflict>& conflicts();
  /// What the pod takes if it is placed on the node.
  VolumeChoices choices_on(std::size_t node);

 private:
  struct Delayed {
    const Claim* claim = nullptr;
    const StorageClass* storage_class = nullptr;
    Quantity size;
    NodeSet unmatched;                     ///< the nodes for which it must be provisioned
    NodeSet perhaps;                       ///< those of them where a volume may match
    std::vector<std::uint32_t> volume_on;  ///< by node
  };

  void sort_claims();
  void sort_claim(const Claim& claim);
  void sort_unbound(const Claim& claim, std::string_view class_name);
  void check_bound();
  void check_volume(const Claim& claim, std::uint32_t volume, NodeSet& nodes);
  void check_settled(const Claim& claim, const SettledClaim& settled);
  void check_selected(NodeSet& nodes);
  void find_volumes(const NodeSet& nodes);
  void match(Delayed& delayed, std::size_t index, NodeSet left);
  bool assign(Delayed& delayed, std::size_t index, std::uint32_t volume, NodeSet& left);
  void provision(NodeSet nodes);
  void fail(const Delayed& delayed, Conflict::Kind kind, const NodeSet& nodes, std::string reason);
  std::optional<std::uint32_t> capacity_for(const Delayed& delayed, std::size_t node) const;
  NodeSet without_space(const Delayed& delayed, const NodeSet& nodes);
  void check_future();
  void check_provisioned(const Claim& claim, const StorageClass& storage_class);
  std::vector<std::uint32_t> candidates(const Claim& claim, std::string_view class_name) const;
  void add(Conflict::Kind kind, NodeSet nodes, std::string reason, const Claim& claim,
           const k8s::Object* bound_volume = nullptr);
  NodeBounds bounds(const Reach& reach) const;
  NodeBounds usable_on(const Volume& volume) const;

  const Cluster& cluster_;
  const Storage& storage_;
  NodeSet scope_;
  std::string rejection_;
  std::vector<Claim> claims_;
  std::vector<std::pair<const Claim*, std::uint32_t>> bound_;  ///< kNoVolume: it does not exist
  std::vector<Delayed> delayed_;
  std::vector<std::pair<const Claim*, std::string_view>> future_;  ///< bound before scheduling
  std::vector<std::pair<const Claim*, const SettledClaim*>> settled_;
  std::vector<std::uint32_t> chosen_early_;  ///< for each of `future_`; may be kNoVolume
  std::vector<Conflict> conflicts_;
  bool is_done_ = false;
};

}  // namespace cnsched::sim
