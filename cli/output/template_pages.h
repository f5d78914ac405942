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

/// One template: its parameters and an example.
void write_template(const templates::Listed& listed, const Style& style, std::size_t width,
                    std::ostream& out);
nlohmann::ordered_json page_of(const templates::Listed& listed);

}  // namespace cnsched::cli
