#pragma once

#include <string>
#include <string_view>

namespace cnsched::test {

/// An SVG picture of a terminal that shows `text`: lines of printable characters and SGR codes, as
/// `Style` writes them (bold, bright colors, reset).
std::string terminal_picture(std::string_view text);

}  // namespace cnsched::test
