#pragma once

#include <ostream>
#include <string_view>

#include "cli/output/json.h"
#include "cli/output/style.h"
#include "templates/library.h"

namespace cnsched::cli {

/// Writes the list of templates: names, files of those that are not built in, summaries.
void write_template_list(const templates::Library& library, const Style& style, std::size_t width,
                         std::ostream& out);
Json json_of(const templates::Library& library);
/// Writes the names, one per line.
void write_template_names(const templates::Library& library, std::ostream& out);

/// Writes one template: its parameters and an example.
void write_template(const templates::Listed& listed, const Style& style, std::size_t width,
                    std::ostream& out);
Json page_of(const templates::Listed& listed);
/// Writes what --set accepts, one per line: "gpus=", and for a parameter with few values each of
/// them, "platform=gke". Accelerators have their plain names.
void write_settings(const templates::Template& model, std::ostream& out);

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
