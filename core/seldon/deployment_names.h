#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/yaml/node.h"

namespace cnsched::seldon {

// How Seldon Core v1 names what it makes. A name of more than 63 characters becomes "seldon-" and
// its MD5 digest.
// Source: seldon-core v1 operator/apis/machinelearning.seldon.io/v1/seldondeployment_types.go.

/// The value of the label seldon-deployment-id.
std::string deployment_id(std::string_view seldon_deployment);

/// Of the Deployment of componentSpecs[`index`], with the names of its containers.
std::string component_deployment(std::string_view seldon_deployment, std::string_view predictor,
                                 std::size_t index, std::string_view metadata_name,
                                 const std::vector<const yaml::Node*>& containers);

/// Of what belongs to a predictor: its service (`suffix` ""), "-svc-orch", "-explainer", "-" and
/// the name of a container.
std::string predictor_name(std::string_view seldon_deployment, std::string_view predictor,
                           std::string_view suffix);

}  // namespace cnsched::seldon
