#pragma once

#include <optional>
#include <string_view>

#include "core/accelerators/conflict.h"

namespace cnsched::accelerators {

// Conflicts of single labels and pairs. A conflict is certain: every value that a requirement
// allows is ruled out, and a value that is not known is not.

/// Whether the label describes accelerators in a way that these functions compare.
bool describes_accelerators(std::string_view key);

/// Why no node has the label, or nothing: a product with a MIG slice that the card does not have.
std::optional<Conflict> conflict_of_label(const k8s::Requirement& label);

/// Why no node has both labels, or nothing. Labels that differ in a trait are not compared here.
std::optional<Conflict> conflict_between_labels(const k8s::Requirement& a,
                                                const k8s::Requirement& b);

/// Why no node with the label offers the device by that amount, or nothing.
std::optional<Conflict> conflict_with_device(const k8s::Requirement& label,
                                             const DeviceRequest& device);

/// Why GKE does not offer the resource, if the label is one of GKE's; or nothing.
std::optional<Conflict> conflict_with_gke(const k8s::Requirement& label,
                                          const DeviceRequest& device);
/// Whether the GPU operator may offer more than GKE's device plugin does: a label of NVIDIA's own
/// stack, or the label that disables GKE's plugin.
bool indicates_own_stack_on_gke(const k8s::Requirement& label);

/// Whether nodes with the label offer each card once, as a whole.
bool excludes_sharing(const k8s::Requirement& label);

}  // namespace cnsched::accelerators
