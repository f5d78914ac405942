#pragma once

#include <string>
#include <string_view>

namespace cnsched::cli {

/// A path as it stands in a URI (RFC 3986): every byte but letters, digits, '-', '.', '_', '~' and
/// '/' becomes %XX.
std::string uri_path(std::string_view path);

}  // namespace cnsched::cli
