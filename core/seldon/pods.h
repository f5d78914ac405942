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

}  // namespace cnsched::seldon
