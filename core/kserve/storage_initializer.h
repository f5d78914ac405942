#pragma once

#include <string_view>

#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// The model that a pod loads, and the container that it is for.
struct StorageRequest {
  const k8s::Object* object = nullptr;             ///< whose pod it is
  const yaml::Node* uri = &yaml::missing_node();   ///< `storageUri`, or an equivalent field
  const yaml::Node* uris = &yaml::missing_node();  ///< `storageUris`, a list of {uri, mountPath}
  std::string_view container;                      ///< that serves the model
  /// LoRA adapters of an LLMInferenceService: a list of {name, uri}.
  const yaml::Node* adapters = &yaml::missing_node();
  bool read_only = true;  ///< unless annotation storage.kserve.io/readonly is "false"
};

/// `pod` with what loads several models, which the controller adds to its Deployment or Knative
/// Service. Each claim is mounted separately. All other models share one volume, into which the
/// init container `storage-initializer` downloads them. Its resources are those of the first
/// ClusterStorageContainer in the workspace that supports the address's prefix, else those of the
/// controller's configuration [K32, K34]. Source: kserve
/// pkg/webhook/admission/pod/storage_initializer_injector.go and pkg/utils/storage.go.
const yaml::Node& with_many_models(const yaml::Node& pod, const StorageRequest& request,
                                   const ControllerContext& context);

/// `pod` with what loads one model, which the webhook adds to pods: the claim's volume for pvc://;
/// for oci:// the sidecar `modelcar`, or what `ociModelMode` or the scheme choose (oci+native://: a
/// volume of the image; oci+fetch://: the init container); else the init container [K33, K88]. It
/// also loads LoRA adapters [K89]. Source: the same, and pkg/webhook/admission/pod/oci_fetch.go,
/// pkg/controller/v1alpha2/llmisvc/workload_lora.go.
const yaml::Node& with_one_model(const yaml::Node& pod, const StorageRequest& request,
                                 const ControllerContext& context);

/// The container of the first ClusterStorageContainer of the workspace that supports the address of
/// a model of `object`, or a missing node.
const yaml::Node& storage_container(const k8s::ObjectIndex& objects, const k8s::Object& object,
                                    std::string_view uri);

}  // namespace cnsched::kserve
