#pragma once

#include <span>
#include <string_view>

#include "core/kserve/knative_flags.h"

namespace cnsched::kserve {

/// The values of the flag that Knative reads; see `reads_value`.
std::span<const std::string_view> values_of(const KnativeFlag& flag);

}  // namespace cnsched::kserve
