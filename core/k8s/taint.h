#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/yaml/node.h"

namespace cnsched::k8s {

/// The effects of a taint, as Kubernetes spells them.
inline constexpr std::string_view kNoSchedule = "NoSchedule";
inline constexpr std::string_view kPreferNoSchedule = "PreferNoSchedule";
inline constexpr std::string_view kNoExecute = "NoExecute";

bool is_taint_effect(std::string_view effect);

/// A taint of a node or of a pool's future nodes. `effect` has Kubernetes' spelling, also if the
/// pool's API has another one (NO_SCHEDULE, no-schedule).
struct Taint {
  const yaml::Node* node = nullptr;  ///< the position for findings
  std::string_view key;
  std::string_view value;
  std::string_view effect;

  /// Whether it repels pods that do not tolerate it; PreferNoSchedule does not.
  bool repels() const { return effect == kNoSchedule || effect == kNoExecute; }
};

/// The taint as kubectl writes it: "key=value:effect".
std::string to_string(const Taint& taint);

/// The taints of a list of {key, value, effect}.
std::vector<Taint> taints_in(const yaml::Node& list);

/// One toleration of a pod; an omitted operator is Equal, as for Kubernetes.
struct Toleration {
  const yaml::Node* node = nullptr;
  std::string_view key;
  std::string_view op;
  std::string_view value;
  std::string_view effect;
  std::optional<std::int64_t> seconds{};  ///< how long it tolerates NoExecute; nothing: forever

  /// Source: k8s.io/api core/v1/toleration.go, ToleratesTaint. The feature gate of Lt and Gt is off
  /// by default, so they match nothing.
  bool tolerates(const Taint& taint) const;
};

std::vector<Toleration> tolerations_in(const yaml::Node& list);
bool tolerated(const Taint& taint, const std::vector<Toleration>& tolerations);

/// An index of tolerations, to find those that make another toleration redundant. Both lists may be
/// long.
class TolerationSet {
 public:
  explicit TolerationSet(const std::vector<Toleration>& tolerations);

  /// The first of NoSchedule and NoExecute for which these do not tolerate every taint that `other`
  /// tolerates, for as long; nothing if they do. Ignores PreferNoSchedule.
  std::optional<std::string_view> uncovered_effect(const Toleration& other) const;

 private:
  bool covers(const Toleration& other, std::string_view effect) const;

  using Kind = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
  /// The longest time that a toleration of this key, operator, value and effect tolerates a taint.
  std::map<Kind, std::int64_t> seconds_;
};

/// Whether a taint with this key reflects the state of its node: cordoned, failing, not ready yet,
/// about to be removed [P24]. Source: k8s.io/api core/v1/well_known_taints.go,
/// cluster-autoscaler pkg utils/taints, karpenter.sh.
bool is_node_state_taint(std::string_view key);

/// Whether it is a taint of the control plane.
bool is_control_plane_taint(std::string_view key);

/// Whether a taint or label with this key reserves nodes: for the control plane or for a KAITO
/// workspace.
bool reserves_nodes(std::string_view key);
/// Whether a controller sets the taint: one that reflects the node's state, another one of
/// Kubernetes or one of KAITO.
bool is_managed_taint(std::string_view key);

/// Whether AKS sets the taint, as on spot pools, so that users cannot choose another one.
bool is_set_by_aks(std::string_view key);

}  // namespace cnsched::k8s
