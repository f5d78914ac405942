#pragma once

#include <vector>

#include "core/k8s/pod_template.h"
#include "core/kserve/surroundings.h"

namespace cnsched::kserve {

/// The router of an InferenceGraph: the flat fields of its spec, and one container. Source: kserve
/// pkg/controller/v1alpha1/inferencegraph/{raw_ig,knative_reconciler}.go.
std::vector<k8s::PodTemplate> inference_graph_pods(const k8s::Object& object,
                                                   const Surroundings& around);

}  // namespace cnsched::kserve
