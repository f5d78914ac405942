#pragma once

#include <optional>
#include <string>

#include "core/base/version.h"
#include "core/k8s/object.h"
#include "core/k8s/schema/deviations.h"
#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// `pod` with the node selector from the annotation serving.kserve.io/gke-accelerator, if a
/// container has a limit for nvidia.com/gpu. It overrides the pod's own entry [K38]. Source: kserve
/// pkg/webhook/admission/pod/accelerator_injector.go.
const yaml::Node& with_accelerator_annotation(const yaml::Node& pod, const yaml::Node& annotations,
                                              Arena& arena);

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

/// `pod` with the agent, whose resources are in the controller's configuration [K35]. Source:
/// kserve pkg/webhook/admission/pod/agent_injector.go.
const yaml::Node& with_agent(const yaml::Node& pod, const AgentRequest& request,
                             const ControllerContext& context);

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

}  // namespace cnsched::kserve
