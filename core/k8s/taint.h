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
  std::optional<std::int64_t>
      seconds{};  ///< how long a NoExecute taint is borne; without: for ever

  /// Source: k8s.io/api core/v1/toleration.go, ToleratesTaint. Lt and Gt are behind a gate that is
  /// off, so they match nothing.
  bool tolerates(const Taint& taint) const;
};

std::vector<Toleration> tolerations_in(const yaml::Node& list);
bool tolerated(const Taint& taint, const std::vector<Toleration>& tolerations);

/// Tolerations that may make another one superfluous. Made once for a list, asked for each of
/// another: both may be long.
class TolerationSet {
 public:
  explicit TolerationSet(const std::vector<Toleration>& tolerations);

  /// The first effect that keeps pods away and of which these do not tolerate, for as long, every
  /// taint that `lost` tolerates; nothing if they do. PreferNoSchedule is not looked at.
  std::optional<std::string_view> uncovered_effect(const Toleration& lost) const;

 private:
  bool covers(const Toleration& lost, std::string_view effect) const;

  using Kind = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
  /// The longest time that a toleration of this key, operator, value and effect bears a taint.
  std::map<Kind, std::int64_t> seconds_;
};

}  // namespace cnsched::k8s
