#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/version.h"
#include "core/k8s/object.h"
#include "core/k8s/schema/deviations.h"
#include "core/k8s/workloads.h"
#include "core/kserve/controller_context.h"
#include "core/kserve/runtime.h"
#include "core/kserve/storage_initializer.h"

namespace cnsched::kserve {

/// Why a pod gets the sidecar `agent`.
struct AgentRequest {
  const yaml::Node* cause = &yaml::missing_node();  ///< missing if it gets none
  std::string models{};  ///< the ConfigMap that lists the models to load; empty if there is none
};

/// The agent that a component requires: for `logger`, for `batcher`, or for a predictor without a
/// model, which loads TrainedModels [K35]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/components/component.go and utils/utils.go,
/// IsMMSPredictor.
AgentRequest agent_for_predictor(const yaml::Node& predictor, const yaml::Node& block,
                                 const k8s::Object& object);
AgentRequest agent_for(const yaml::Node& component);

/// What happens to a value that does not fit the schema, once KServe's mutating webhook has decoded
/// and encoded the object [K83].
enum class AfterWebhook : unsigned char {
  rejected,        ///< the kind has no such webhook, or the value still does not fit
  accepted,        ///< the webhook makes the object valid, and the pods are
  rejected_later,  ///< the object becomes valid, but not the pods that KServe creates
};

/// `release` is assumed to be the newest known one if it is not known.
AfterWebhook after_webhook(const k8s::schema::Deviation& deviation, const k8s::Object& object,
                           const std::optional<Version>& release);

/// One component of an InferenceService.
struct Component {
  std::string name;                       ///< "predictor", "worker", "canary[0]", …
  std::string_view label;                 ///< the value of the label `component`
  std::string pod_name;                   ///< of its Deployment or Knative Service
  const yaml::Node* spec = nullptr;       ///< its fields; a canary's over the stable predictor's
  const yaml::Node* written = nullptr;    ///< its fields in the manifest
  const yaml::Node* canary = nullptr;     ///< of a canary, the item of `spec.canary`
  const yaml::Node* predictor = nullptr;  ///< of a worker, the predictor, whose labels it shares
  std::string app{};                      ///< of a worker, its label `app`

  bool is_worker() const { return predictor != nullptr; }
};

/// What KServe adds to a pod after the merge.
struct Additions {
  StorageRequest storage;
  AgentRequest agent;
  const k8s::Object* runtime = nullptr;
  bool multi_node = false;
};

/// The InferenceService of the component, its mode and the context.
struct Origin {
  const k8s::Object& object;
  DeploymentMode mode;
  const ControllerContext& context;
  ServerLabel server_label{};
};

/// Completes `pod`, whose fields are `merged`: sets name, labels and annotations, adds what the
/// controller adds to its Deployment or Knative Service, removes what Knative drops, and applies
/// the changes of KServe's webhook.
void finish_pod(k8s::PodTemplate& pod, const Component& component, const yaml::Node& merged,
                Additions additions, const Origin& origin);

}  // namespace cnsched::kserve
