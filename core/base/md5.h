#pragma once

#include <string>
#include <string_view>

namespace cnsched {

/// The MD5 digest of `bytes` in lower-case hexadecimal. Only to name things as controllers do.
/// Source: RFC 1321.
std::string md5_hex(std::string_view bytes);

}  // namespace cnsched
