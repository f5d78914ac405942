#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string_view>

#include "cli/output/style.h"

namespace cnsched::cli {

/// Whether it is a whole accelerator by the name that is the same everywhere. Slices, and the exact
/// products that feature discovery tells, would make a list four times as long.
bool is_plain_name(std::string_view name);

/// The accelerators that each platform has, by the names that are the same everywhere.
void write_accelerators(const Style& style, std::size_t width, std::ostream& out);
/// These names, a line each.
void write_accelerator_names(std::ostream& out);
/// All of them, with every name.
nlohmann::ordered_json json_of_accelerators();

}  // namespace cnsched::cli
