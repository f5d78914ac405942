#pragma once

#include <string>
#include <string_view>

namespace cnsched::yaml {

/// A string as a YAML scalar on one line: plain where every reader takes it for that string, else
/// in double quotes. What steers a terminal is escaped; invalid UTF-8, which YAML cannot hold,
/// becomes U+FFFD.
std::string quoted_for_yaml(std::string_view text);

/// The same within a flow collection, whose brackets and commas a plain scalar may not hold;
/// `always` in double quotes, as JSON has them.
std::string quoted_for_flow(std::string_view text, bool always);

/// The same in single quotes where they need no escapes.
std::string in_single_quotes(std::string_view text);

/// Whether the string has several lines that read back exactly from a literal block scalar.
bool fits_block_scalar(std::string_view text);
/// "|" or "|-".
std::string block_scalar_header(std::string_view text);
/// The lines below the header, each with its end.
std::string block_scalar_lines(std::string_view text, std::size_t indent);

/// A string as a JSON string of only ASCII; invalid UTF-8 becomes U+FFFD.
std::string quoted_for_json(std::string_view text);

}  // namespace cnsched::yaml
