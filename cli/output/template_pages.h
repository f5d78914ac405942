#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>

#include "cli/output/style.h"
#include "templates/library.h"

namespace cnsched::cli {

/// The list of templates: names, where those come from that are not built in, summaries.
void write_template_list(const templates::Library& library, const Style& style, std::size_t width,
                         std::ostream& out);
nlohmann::ordered_json json_of(const templates::Library& library);
/// The names, a line each.
void write_template_names(const templates::Library& library, std::ostream& out);

/// One template: its parameters and an example.
void write_template(const templates::Listed& listed, const Style& style, std::size_t width,
                    std::ostream& out);
nlohmann::ordered_json page_of(const templates::Listed& listed);
/// What --set takes, a line each: "gpus=", and of a parameter that has few values each of them,
/// "platform=gke". Of accelerators the plain names.
void write_settings(const templates::Template& model, std::ostream& out);

}  // namespace cnsched::cli
