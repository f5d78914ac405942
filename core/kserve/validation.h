#pragma once

#include <string>
#include <vector>

#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// Why KServe runs no pods for an object whose fields and types are those of the schema.
struct Rejection {
  /// Who rejects it, and when.
  enum class Stage : unsigned char {
    crd,          ///< a rule of the CRD, when the object is applied
    webhook,      ///< KServe's webhook, when the object is applied
    controller,   ///< the object is accepted, and KServe creates no pods for it
    pod_webhook,  ///< KServe's webhook, when the pods are created
  };
  const yaml::Node* where = nullptr;  ///< the key or value to change
  std::string what;                   ///< "the transformer has no containers"
  std::string help;                   ///< what to write instead
  Stage stage = Stage::webhook;
  /// Whether an unknown object of the cluster, or a patch, may make it valid.
  bool is_doubtful = false;
  bool has_rule = false;  ///< deprecated-api or deployment-mode reports it
};
/// "KServe's webhook rejects the object: the transformer has no containers".
std::string message_of(const Rejection& rejection);

/// Why KServe rejects an InferenceService, LLMInferenceService or InferenceGraph [K84, K86, K87]:
/// nothing for other kinds. A release that is not known counts as the newest one. Source: kserve
/// pkg/apis/serving/v1beta1/inference_service_validation.go,
/// pkg/controller/v1beta1/inferenceservice/utils/utils.go (ValidateStorageURI),
/// pkg/controller/v1alpha2/llmisvc/workload_storage.go.
std::vector<Rejection> rejections(const k8s::Object& object, const ControllerContext& context,
                                  bool webhooks_run);

}  // namespace cnsched::kserve
