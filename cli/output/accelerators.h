#pragma once

#include <ostream>
#include <string_view>

#include "cli/output/json.h"
#include "cli/output/style.h"

namespace cnsched::cli {

/// Whether the name is that of a whole accelerator, the same on every platform. Listing MIG slices
/// and the exact products of feature discovery would make lists four times as long.
bool is_plain_name(std::string_view name);

/// Writes the accelerators of each platform, by their plain names.
void write_accelerators(const Style& style, std::size_t width, std::ostream& out);
/// Writes the plain names, one per line.
void write_accelerator_names(std::ostream& out);
/// All accelerators with all names.
Json json_of_accelerators();

}  // namespace cnsched::cli
