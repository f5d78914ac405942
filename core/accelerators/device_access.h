#pragma once

#include "core/k8s/pod_spec.h"

namespace cnsched::accelerators {

/// Whether the container sees devices without asking a device plugin for them: NVIDIA's container
/// runtime reads a variable.
bool sees_devices_unasked(const k8s::Container& container);
/// Whether the container gets at a device, by whatever way: an extended resource, a claim, or that
/// variable.
bool reaches_device(const k8s::Container& container);

/// The amount of the first accelerator that the container clearly asks for (a placeholder may stand
/// for none); its `key` is the name. Null if there is none.
const yaml::Node* accelerator_asked_by(const k8s::Container& container);

}  // namespace cnsched::accelerators
