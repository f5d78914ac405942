#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cnsched::cli {

/// Replaces each byte for which `encodes` is true by %XX.
std::string percent_encoded(std::string_view text, const std::function<bool(char)>& encodes);

/// A path for a URI (RFC 3986): every byte except letters, digits, '-', '.', '_', '~' and
/// '/' becomes %XX.
std::string uri_path(std::string_view path);

}  // namespace cnsched::cli
