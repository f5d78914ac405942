#pragma once

#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::kserve {

/// Fields of a pod spec that Knative's schema does not have, so that the API server drops them from
/// a Knative Service without a word, in the order of the pod's own. Source: knative/serving
/// config/core/300-resources/service.yaml (1.6 and later).
std::vector<const yaml::Node*> fields_dropped_by_knative(const yaml::Node& pod);

/// The pod spec as a Knative Service keeps it.
const yaml::Node& kept_by_knative(const yaml::Node& pod, Arena& arena);

}  // namespace cnsched::kserve
