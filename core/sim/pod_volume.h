#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/pod_spec.h"

namespace cnsched::sim {

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

}  // namespace cnsched::sim
