#pragma once

#include <vector>

#include "core/base/arena.h"
#include "core/k8s/object.h"
#include "core/k8s/pod_template.h"

namespace cnsched::seldon {

/// The pods of a SeldonDeployment (Core v1): for each predictor one for each of componentSpecs,
/// with the containers that the operator adds (those of prepackaged servers, the orchestrator), and
/// those of a separate orchestrator and of an explainer. Left out is what has no say in where they
/// run: probes, ports, variables, downloads, mounts. Source: seldon-core v1
/// operator/apis/machinelearning.seldon.io/v1/{defaults, seldondeployment_webhook}.go,
/// operator/controllers/seldondeployment_*.go.
std::vector<k8s::PodTemplate> seldon_deployment_pods(const k8s::Object& object, Arena& arena);

}  // namespace cnsched::seldon
