#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/base/version.h"
#include "core/kserve/runtime.h"

namespace cnsched::kserve {

/// The names of the runtimes that KServe or Open Data Hub install in any release [K78, K79].
std::span<const std::string_view> shipped_runtime_names();
/// The model formats that KServe's own runtimes support [K78].
std::span<const std::string_view> shipped_formats();
/// Whether KServe ships a runtime for the model format in the release; if it is not known, in every
/// release from 0.12 on.
bool ships_runtime_for(std::string_view format, const std::optional<Version>& release);
/// Whether KServe chooses one of its own runtimes, in any release [K78].
bool is_served_by_shipped_runtime(const RuntimeRequirements& required);

}  // namespace cnsched::kserve
