#pragma once

#include <optional>
#include <string_view>

#include "rules/rule.h"

namespace cnsched::rules {

/// The field beside which an unknown one was surely meant to be: one that the mapping could have,
/// does not have, and that is spelt much alike. Nothing of other deviations.
std::optional<std::string_view> misspelt_field(const k8s::schema::Deviation& unknown);

}  // namespace cnsched::rules
