#pragma once

#include <string>
#include <string_view>

namespace cnsched {

/// The MD5 digest of `bytes` in lower-case hexadecimal. Only for names that controllers derive from
/// it, and for comparison.
/// Source: RFC 1321.
std::string md5_hex(std::string_view bytes);

}  // namespace cnsched
