#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/version.h"
#include "core/k8s/object.h"
#include "core/kserve/deployment_mode.h"

namespace cnsched::kserve {

/// Why a webhook of KServe rejects an object, or the pods that KServe creates from it.
struct Rejection {
  const yaml::Node* where = nullptr;  ///< the key or value to change
  std::string what;                   ///< "the transformer has no containers"
  std::string help;                   ///< what to write instead
  bool of_pods = false;               ///< KServe accepts the object, and rejects each pod
  bool may_be_patch = false;  ///< an object without a predictor's model server is rarely complete
};
/// "KServe's webhook rejects the object: the transformer has no containers".
std::string message_of(const Rejection& rejection);

/// What KServe's webhooks reject in an InferenceService whose fields and types are those
/// of the schema [K84]: nothing for other kinds. `release` is assumed to be the newest known one if
/// it is not known. Source: kserve pkg/apis/serving/v1beta1/inference_service_validation.go.
std::vector<Rejection> rejections(const k8s::Object& object, const DefaultMode& default_mode,
                                  const std::optional<Version>& release);

}  // namespace cnsched::kserve
