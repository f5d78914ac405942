#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/node_trait.h"
#include "core/accelerators/resource_name.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::accelerators {

/// What two labels say about one trait of their nodes.
struct Difference {
  Trait trait;
  std::string first;
  std::string last;
};

/// Demands of a pod that no node meets together: labels, or labels and a device.
struct Conflict {
  /// Several only if they contradict each other; the last one completes the conflict.
  std::vector<k8s::Requirement> labels;
  std::optional<Difference> difference{};  ///< between the first and the last label
  std::optional<DeviceRequest> device{};   ///< that no node with the label offers
  /// Why no node meets them, "they have NVIDIA accelerators"; empty if the labels have one key or
  /// differ in a trait.
  std::string reason{};
  std::string advice{};  ///< how to resolve it; set only with `reason`
  /// There is no conflict if the nodes share their devices or divide them into slices.
  bool unless_shared = false;
};

/// What nodes are known to have, which overrides any conclusion from labels and requests. Empty
/// functions mean that no node is known.
struct KnownNodes {
  /// Whether a node meets both requirements.
  std::function<bool(const k8s::Requirement&, const k8s::Requirement&)> meets{};
  /// Whether a node meets the requirement and offers the device.
  std::function<bool(const k8s::Requirement&, const DeviceRequest&)> offers{};

  bool any(const k8s::Requirement& a, const k8s::Requirement& b) const {
    return meets && meets(a, b);
  }
  bool any(const k8s::Requirement& label, const DeviceRequest& device) const {
    return offers && offers(label, device);
  }
};

/// Returns the author of a demand: of the value of a label, or of an expression.
using AuthorOf = std::function<std::size_t(const yaml::Node&)>;

/// Two demands of different authors that keep nodeSelector and required affinity from matching any
/// node. Terms are ORed: each must conflict, and the conflict of the first is returned.
std::optional<Conflict> conflict_between_authors(const k8s::PodSpec& pod, const AuthorOf& author_of,
                                                 const KnownNodes& known = {});

enum class DemandKind : unsigned char {
  labels,  ///< the values of one label, and the cards and vendors that labels name
  clouds,  ///< labels that only the nodes of one provider have
};

/// Where nodeSelector and required affinity contradict themselves or each other.
struct SelectorConflicts {
  bool in_selector = false;     ///< nodeSelector contradicts itself
  bool leaves_no_node = false;  ///< no node matches nodeSelector and any term
  std::vector<Conflict> found;  ///< of the selector, or one for each term that never matches
};

SelectorConflicts selector_conflicts(const k8s::PodSpec& pod, DemandKind kind,
                                     const KnownNodes& known = {});

/// Why the nodes that the pod selects cannot have the accelerators that it describes and requests:
/// at most one conflict between labels and one with a device. Those of nodeSelector or, if every
/// term has one, those of the first term.
std::vector<Conflict> accelerator_conflicts(const k8s::PodSpec& pod, const KnownNodes& known = {});

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
