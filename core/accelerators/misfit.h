#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/k8s/selector.h"

namespace cnsched::accelerators {

/// Why a node cannot be what is demanded of it.
struct Misfit {
  std::string why;      ///< "they carry NVIDIA accelerators"
  std::string instead;  ///< what to do about it
  /// Not where the nodes' accelerators are shared or cut into slices, which then count as several.
  bool unless_shared = false;
};

/// Whether the label tells anything of the accelerators of its nodes that is compared here.
bool tells_devices(std::string_view key);

/// Why no node carries the label, or nothing: a product of a MIG slice that its card does not give.
std::optional<Misfit> misfit_of(const k8s::Requirement& label);

/// Why no node satisfies both, although they are about different labels; or nothing. What differs
/// in a trait (node_trait.h), as labels of two cards do, is left to whoever compares those.
std::optional<Misfit> misfit_between(const k8s::Requirement& a, const k8s::Requirement& b);

/// Why no node that satisfies the requirement offers so many of the resource, or nothing.
std::optional<Misfit> misfit_with(const k8s::Requirement& label, std::string_view resource,
                                  std::int64_t amount);

/// Why no node of GKE's offers the resource, if the label is one of GKE's; or nothing.
std::optional<Misfit> misfit_on_gke(const k8s::Requirement& label, std::string_view resource);
/// Whether the GPU operator may offer more than GKE's plugin: labels of NVIDIA's own stack, or the
/// one that keeps GKE's plugin away.
bool tells_own_stack_on_gke(const k8s::Requirement& label);

/// Whether the nodes that satisfy it offer each card once, as a whole.
bool excludes_sharing(const k8s::Requirement& label);

}  // namespace cnsched::accelerators
