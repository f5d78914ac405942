#pragma once

#include <string_view>

#include "core/k8s/object.h"

namespace cnsched::kserve {

/// Whether the object is one of Open Data Hub's or OpenShift AI's: their dashboard sets the label,
/// and OpenShift Serverless alone reads the annotation.
bool is_of_open_data_hub(const k8s::Object& object);

/// Whether the KnativeServing that Open Data Hub's operator creates switches the flag on. Source:
/// the template of KnativeServing in opendatahub-io/opendatahub-operator, from commit 7110484ae
/// until it dropped serverless mode.
bool is_set_by_open_data_hub(std::string_view flag);

}  // namespace cnsched::kserve
