#pragma once

#include <string_view>

#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// Which model a pod loads, and for which of its containers.
struct StorageRequest {
  const k8s::Object* object = nullptr;             ///< whose pod it is
  const yaml::Node* uri = &yaml::missing_node();   ///< `storageUri`, or what stands for it
  const yaml::Node* uris = &yaml::missing_node();  ///< `storageUris`, a list of {uri, mountPath}
  std::string_view container;                      ///< that serves the model
  bool read_only = true;  ///< unless the annotation storage.kserve.io/readonly says "false"
};

/// `pod` with what brings several models into it, which the controller writes into its Deployment
/// or Knative Service: claims are mounted one by one, all else shares one volume that the init
/// container `storage-initializer` fills. Resources come from the first ClusterStorageContainer of
/// the run that knows the address by its prefix, else from the controller's configuration [K32,
/// K34]. Source: kserve pkg/webhook/admission/pod/storage_initializer_injector.go and
/// pkg/utils/storage.go.
const yaml::Node& with_many_models(const yaml::Node& pod, const StorageRequest& request,
                                   const ControllerContext& context);

/// `pod` with what brings one model into it, which the webhook adds to pods: the same, for pvc://
/// the claim's volume, for oci:// the sidecar `modelcar` [K33]. Source: the same.
const yaml::Node& with_one_model(const yaml::Node& pod, const StorageRequest& request,
                                 const ControllerContext& context);

}  // namespace cnsched::kserve
