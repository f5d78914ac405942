#pragma once

#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/pod_template.h"

namespace cnsched::seldon {

/// The pod specs of Seldon's kinds: Server, ServerConfig, SeldonConfig's components,
/// SeldonRuntime's overrides, SeldonDeployment's componentSpecs. Nothing for other objects.
std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object);

}  // namespace cnsched::seldon
