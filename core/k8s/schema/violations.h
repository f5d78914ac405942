#pragma once

#include <cstdint>
#include <vector>

#include "core/k8s/schema/deviations.h"
#include "core/k8s/schema/open_api.h"
#include "core/yaml/node.h"

namespace cnsched::k8s::schema {

/// Adds the rules of CEL that an object which has no other deviations violates. What is not
/// evaluated, also because it takes more steps, is noted in `types`.
void add_violations(const yaml::Node& root, const DefinedTypes& types, std::uint64_t steps,
                    std::vector<Deviation>& found);

}  // namespace cnsched::k8s::schema
