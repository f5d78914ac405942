#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/yaml/node.h"

namespace cnsched::cli {

/// A JSON value. Objects keep the order of their keys. In braces, a list of pairs that begin with a
/// string is an object, any other list an array: `Json{{"line", 3}, {"tags", {"a"}}}`. Sources that
/// make or read one include <nlohmann/json.hpp>, which takes long to compile.
using Json = nlohmann::ordered_json;

/// Aliases are written out.
Json json_of(const yaml::Node& node);

/// Indented by two spaces, without a line end. Only ASCII; invalid UTF-8 becomes U+FFFD.
std::string indented(const Json& json);
/// Writes one JSON document with a line end. The text is ASCII without "##", so it cannot control a
/// terminal or a CI system.
void write_document(const Json& json, std::ostream& out);
/// The same without the line end: one value of a document that is too large to be built as a whole.
void write_json_value(const Json& json, std::ostream& out);

}  // namespace cnsched::cli
