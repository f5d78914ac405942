#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "core/accelerators/evidence.h"
#include "core/accelerators/node_trait.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::accelerators {

/// Something that a pod demands of its node, and which of several authors wrote it.
struct Demand {
  k8s::Requirement requirement;
  std::size_t side = 0;
};

/// What two demands on different labels tell one trait to be.
struct Difference {
  Trait trait;
  std::string label;
  std::string other;
};

/// Two demands that no node meets together.
struct Clash {
  Demand label;                          ///< of nodeSelector
  Demand other;                          ///< of nodeSelector, or of a term of the required affinity
  std::optional<Difference> difference;  ///< without: both are about one label
};

/// Who wrote a demand: the value of a label, or an expression.
using SideOf = std::function<std::size_t(const yaml::Node&)>;

/// Two demands of different authors for which no node can meet selector and required affinity, or
/// nothing. Terms are ORed: each has to clash, and the first that does is told. Labels that tell
/// different things do not clash where a node has both.
std::optional<Clash> clash_between_sides(const k8s::PodSpec& pod, const SideOf& side_of,
                                         const Evidence& evidence = {});

}  // namespace cnsched::accelerators
