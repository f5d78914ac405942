#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/accelerators/platform.h"
#include "core/accelerators/product.h"

namespace cnsched::accelerators {

/// What somebody who calls it so gets on the platform. Fails, with the reason and the nearest that
/// the platform has instead, if there is no such thing.
Result<const Accelerator*> find_on(Platform platform, std::string_view called);

/// Why the platform has nothing that is called so, or nothing if it has.
std::optional<std::string> lack_on(Platform platform, std::string_view called);

}  // namespace cnsched::accelerators
