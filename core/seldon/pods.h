#pragma once

#include <vector>

#include "core/base/arena.h"
#include "core/k8s/objects.h"
#include "core/k8s/pod_template.h"

namespace cnsched::seldon {

/// The effective pods of Seldon's kinds (Server, SeldonRuntime, SeldonDeployment), and the
/// fragments that a ServerConfig or SeldonConfig contributes. Nothing for other objects. `objects`
/// are those of the run; new nodes are made in `arena`.
std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object, const k8s::Objects& objects,
                                            Arena& arena);

// The kinds one by one.

/// The pod of a Server: its podSpec over the one of its ServerConfig, and what the operator and the
/// StatefulSet controller add. Without the ServerConfig its own podSpec alone; nothing without
/// either [S6, S33, S35]. Source: seldon-core v2 operator/controllers/reconcilers/server.
std::vector<k8s::PodTemplate> server_pods(const k8s::Object& server, const k8s::Objects& objects,
                                          Arena& arena);

/// What each component of a SeldonConfig contributes to the pods of SeldonRuntimes.
std::vector<k8s::PodTemplate> seldon_config_fragments(const k8s::Object& config);

/// The pods of a SeldonRuntime: one for each component of its SeldonConfig, with the override of
/// that name on top; without the SeldonConfig, what its overrides say. An override that no
/// component has use for is a pod that is never created [S38, S39, S40]. Source: seldon-core v2
/// operator/controllers/reconcilers/seldon/*_reconciler.go.
std::vector<k8s::PodTemplate> seldon_runtime_pods(const k8s::Object& runtime,
                                                  const k8s::Objects& objects, Arena& arena);

/// The pods of a SeldonDeployment (Core v1): for each predictor one for each of componentSpecs,
/// with the containers that the operator adds (those of prepackaged servers, the orchestrator), and
/// those of a separate orchestrator and of an explainer. Left out is what has no say in where they
/// run: probes, ports, variables, downloads, mounts [S51, S52, S57]. Source: seldon-core v1
/// operator/apis/machinelearning.seldon.io/v1/{defaults, seldondeployment_webhook}.go,
/// operator/controllers/seldondeployment_*.go.
std::vector<k8s::PodTemplate> seldon_deployment_pods(const k8s::Object& object, Arena& arena);

}  // namespace cnsched::seldon
