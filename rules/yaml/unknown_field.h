#pragma once

#include <optional>
#include <string_view>

#include "rules/rule.h"

namespace cnsched::rules::unknown_field {

/// The field that an unknown one misspells: a field of the type with a similar name, which the
/// mapping does not have. Nothing for other deviations.
std::optional<std::string_view> misspelt_field(const k8s::schema::Deviation& unknown);

}  // namespace cnsched::rules::unknown_field
