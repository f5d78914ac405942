#pragma once

#include <optional>
#include <vector>

#include "core/accelerators/devices_asked.h"
#include "core/accelerators/evidence.h"
#include "core/accelerators/misfit.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::accelerators {

/// Two things that a pod demands, and that no node has together.
struct Mismatch {
  Misfit misfit;
  k8s::Requirement label;
  std::optional<k8s::Requirement> other{};  ///< another label
  std::optional<AskedDevice> device{};      ///< or a device; neither: the label contradicts itself
};

/// Why no node is left for the pod: at most one pair of labels, and one of a label and a device.
/// Those of the selector, which every node has to have, or else those of the first term, if every
/// term has one, for terms are ORed. Passes over what a node has together all the same.
std::vector<Mismatch> mismatches_of(const k8s::PodSpec& pod, const Evidence& evidence = {});

}  // namespace cnsched::accelerators
