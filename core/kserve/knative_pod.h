#pragma once

#include <string_view>
#include <vector>

#include "core/yaml/overlay.h"

namespace cnsched::kserve {

/// Fields of a pod spec that Knative's schema does not have, so that the API server drops them from
/// a Knative Service without a word, in the order of the pod's own [N11, N12]. Source:
/// knative/serving config/core/300-resources/service.yaml (1.6 and later).
std::vector<const yaml::Node*> fields_dropped_by_knative(const yaml::Node& pod);

/// The same for the fields of a container, and `claims` of its resources.
std::vector<const yaml::Node*> container_fields_dropped_by_knative(const yaml::Node& container);

/// Whether a field that Knative drops from the pod decides which nodes the pod fits.
bool decides_placement(std::string_view dropped_field);

/// The pod spec as a Knative Service keeps it.
const yaml::Node& kept_by_knative(const yaml::Node& pod, Arena& arena);

/// Adds what Knative puts on the pods of a service's first revision.
void add_knative_labels(yaml::Overlay& labels, std::string_view service, Arena& arena);

}  // namespace cnsched::kserve
