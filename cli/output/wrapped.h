#pragma once

#include <ostream>
#include <string_view>

namespace cnsched::cli {

/// The words of `text`, printable, in lines of at most `width` columns that `indent` of them begin.
void write_wrapped(std::string_view text, std::size_t indent, std::size_t width, std::ostream& out);

}  // namespace cnsched::cli
