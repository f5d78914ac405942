#pragma once

#include <ostream>
#include <string_view>

namespace cnsched::cli {

/// Writes the words of `text`, printable, in lines of at most `width` columns, indented by
/// `indent`.
void write_wrapped(std::string_view text, std::size_t indent, std::size_t width, std::ostream& out);

}  // namespace cnsched::cli
