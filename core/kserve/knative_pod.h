#pragma once

#include <string_view>
#include <vector>

#include "core/yaml/overlay.h"

namespace cnsched::kserve {

/// The fields of `pod` that Knative's schema does not have, in the pod's order. The API server
/// silently drops them from a Knative Service [N11, N12]. Source: knative/serving
/// config/core/300-resources/service.yaml (1.6 and later).
std::vector<const yaml::Node*> fields_dropped_by_knative(const yaml::Node& pod);

/// The same for the fields of a container and for `claims` of its resources.
std::vector<const yaml::Node*> container_fields_dropped_by_knative(const yaml::Node& container);

/// Whether a dropped field affects on which nodes the pod fits.
bool decides_placement(std::string_view dropped_field);

/// The pod spec without the fields that Knative drops.
const yaml::Node& kept_by_knative(const yaml::Node& pod, Arena& arena);

/// Adds the labels that Knative sets on the pods of a service's first revision.
void add_knative_labels(yaml::Overlay& labels, std::string_view service, Arena& arena);

}  // namespace cnsched::kserve
