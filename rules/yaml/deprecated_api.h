#pragma once

#include "rules/rule.h"

namespace cnsched::rules::deprecated_api {

/// Whether the object is in a version that is outdated or never existed, and that has a known
/// replacement: deprecated-api reports it.
bool is_of_outdated_api(const k8s::Object& object);

}  // namespace cnsched::rules::deprecated_api
