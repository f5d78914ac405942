#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>

namespace cnsched::cli {

/// Writes one JSON document, indented, with a line end; invalid UTF-8 becomes U+FFFD.
void write_document(const nlohmann::ordered_json& json, std::ostream& out);
/// The same without the line end: one value of a document that is too large to be built as a whole.
void write_json_value(const nlohmann::ordered_json& json, std::ostream& out);

}  // namespace cnsched::cli
