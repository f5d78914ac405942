#pragma once

#include <string>
#include <string_view>

namespace cnsched::yaml {

/// A string as a YAML scalar on one line: plain where every parser reads it as that string, else in
/// double quotes. Control characters are escaped; invalid UTF-8 becomes U+FFFD.
std::string quoted_for_yaml(std::string_view text);

/// The same within a flow collection, where a plain scalar cannot contain brackets and commas; with
/// `always`, in double quotes, as in JSON.
std::string quoted_for_flow(std::string_view text, bool always);

/// The same, in single quotes if the text needs no escapes.
std::string in_single_quotes(std::string_view text);

/// Whether the string has several lines and a literal block scalar can represent it exactly.
bool fits_block_scalar(std::string_view text);
/// "|" or "|-".
std::string block_scalar_header(std::string_view text);
/// The lines below the header, each with its line break.
std::string block_scalar_lines(std::string_view text, std::size_t indent);

/// A string as an ASCII-only JSON string; invalid UTF-8 becomes U+FFFD.
std::string quoted_for_json(std::string_view text);

}  // namespace cnsched::yaml
