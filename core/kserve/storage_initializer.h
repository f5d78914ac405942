#pragma once

#include <string_view>

#include "core/kserve/surroundings.h"

namespace cnsched::kserve {

/// Which model a pod loads, and for which of its containers.
struct StorageRequest {
  const yaml::Node* uri = &yaml::missing_node();   ///< `storageUri`, or what stands for it
  const yaml::Node* uris = &yaml::missing_node();  ///< `storageUris`, a list of {uri, mountPath}
  std::string_view container;                      ///< that serves the model
};

/// `pod` with what brings the model into it: the init container `storage-initializer` and its
/// volume, for pvc:// the claim's volume, for oci:// the sidecar `modelcar`. Unchanged if there is
/// nothing to load. Resources come from the controller's configuration. Source: kserve
/// pkg/webhook/admission/pod/storage_initializer_injector.go and pkg/utils/storage.go.
const yaml::Node& with_storage_initializer(const yaml::Node& pod, const StorageRequest& request,
                                           const Surroundings& around);

}  // namespace cnsched::kserve
