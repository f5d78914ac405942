#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>

#include "cli/output/style.h"

namespace cnsched::cli {

/// The accelerators that each platform has, by the names that are the same everywhere.
void write_accelerators(const Style& style, std::size_t width, std::ostream& out);
/// All of them, with every name.
nlohmann::ordered_json json_of_accelerators();

}  // namespace cnsched::cli
