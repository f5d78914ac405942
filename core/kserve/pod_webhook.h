#pragma once

#include <string>

#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// `pod` with the selector that the annotation serving.kserve.io/gke-accelerator asks for, over
/// whatever is written, if a container is limited to some nvidia.com/gpu [K38]. Source: kserve
/// pkg/webhook/admission/pod/accelerator_injector.go.
const yaml::Node& with_accelerator_annotation(const yaml::Node& pod, const yaml::Node& annotations,
                                              Arena& arena);

/// Why a pod gets the sidecar `agent`.
struct AgentRequest {
  const yaml::Node* cause = &yaml::missing_node();  ///< missing: it gets none
  std::string models{};  ///< the ConfigMap that lists the models it is to load; empty: none
};

/// The agent that a component asks for: by its `logger`, its `batcher`, or, of predictors, by
/// naming no model, for then TrainedModels are expected [K35]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/components/component.go and utils/utils.go,
/// IsMMSPredictor.
AgentRequest agent_for_predictor(const yaml::Node& predictor, const yaml::Node& block,
                                 const k8s::Object& object);
AgentRequest agent_for(const yaml::Node& component);

/// `pod` with the agent; resources come from the controller's configuration [K35]. Source: kserve
/// pkg/webhook/admission/pod/agent_injector.go.
const yaml::Node& with_agent(const yaml::Node& pod, const AgentRequest& request,
                             const ControllerContext& context);

}  // namespace cnsched::kserve
