#include "core/accelerators/device_access.h"

namespace cnsched::accelerators {

bool sees_devices_unasked(const k8s::Container& container) {
  return bool(k8s::item_called((*container.node)["env"], "NVIDIA_VISIBLE_DEVICES"));
}

bool reaches_device(const k8s::Container& container) {
  return container.wants(k8s::is_extended_resource) ||
         !(*container.node)["resources"]["claims"].is_empty() || sees_devices_unasked(container);
}

}  // namespace cnsched::accelerators
