#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cnsched::cli {

/// Each byte that `encodes` is true of becomes %XX.
std::string percent_encoded(std::string_view text, const std::function<bool(char)>& encodes);

/// A path as it stands in a URI (RFC 3986): every byte but letters, digits, '-', '.', '_', '~' and
/// '/' becomes %XX.
std::string uri_path(std::string_view path);

}  // namespace cnsched::cli
