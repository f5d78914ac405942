#pragma once

#include <vector>

#include "core/base/arena.h"
#include "core/k8s/objects.h"
#include "core/k8s/pod_template.h"

namespace cnsched::seldon {

/// What each component of a SeldonConfig contributes to the pods of SeldonRuntimes.
std::vector<k8s::PodTemplate> seldon_config_fragments(const k8s::Object& config);

/// The pods of a SeldonRuntime: one for each component of its SeldonConfig, with the override of
/// that name on top; without the SeldonConfig, what its overrides say. An override that no
/// component has use for is a pod that is never created.
/// Source: seldon-core v2 operator/controllers/reconcilers/seldon/*_reconciler.go.
std::vector<k8s::PodTemplate> seldon_runtime_pods(const k8s::Object& runtime,
                                                  const k8s::Objects& objects, Arena& arena);

}  // namespace cnsched::seldon
