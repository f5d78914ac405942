#pragma once

#include <string_view>
#include <vector>

#include "core/yaml/node.h"

namespace cnsched::k8s {

/// The effects of a taint, as Kubernetes spells them.
inline constexpr std::string_view kNoSchedule = "NoSchedule";
inline constexpr std::string_view kPreferNoSchedule = "PreferNoSchedule";
inline constexpr std::string_view kNoExecute = "NoExecute";

bool is_taint_effect(std::string_view effect);

/// A taint of a node or of a pool's future nodes. `effect` is spelled as Kubernetes does, whatever
/// the pool's own API writes (NO_SCHEDULE, no-schedule).
struct Taint {
  const yaml::Node* node = nullptr;  ///< what to point at
  std::string_view key;
  std::string_view value;
  std::string_view effect;

  /// Keeps pods away that do not tolerate it; PreferNoSchedule only advises.
  bool repels() const { return effect == kNoSchedule || effect == kNoExecute; }
};

/// The taints of a list of {key, value, effect}.
std::vector<Taint> taints_in(const yaml::Node& list);

/// One toleration of a pod; an omitted operator is Equal, as for Kubernetes.
struct Toleration {
  const yaml::Node* node = nullptr;
  std::string_view key;
  std::string_view op;
  std::string_view value;
  std::string_view effect;

  /// Source: k8s.io/api core/v1/toleration.go, ToleratesTaint. Lt and Gt are behind a gate that is
  /// off, so they match nothing.
  bool tolerates(const Taint& taint) const;
};

std::vector<Toleration> tolerations_in(const yaml::Node& list);
bool tolerated(const Taint& taint, const std::vector<Toleration>& tolerations);

}  // namespace cnsched::k8s
