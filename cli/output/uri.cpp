#include "cli/output/uri.h"

#include <fmt/format.h>

#include "core/base/ascii.h"

namespace cnsched::cli {

namespace {

/// Whether the character is written unencoded.
bool is_plain(char c) {
  return is_alphanumeric(c) || std::string_view("-._~/").find(c) != std::string_view::npos;
}

}  // namespace

std::string percent_encoded(std::string_view text, const std::function<bool(char)>& encodes) {
  std::string result;
  for (const char c : text) {
    result +=
        encodes(c) ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

std::string uri_path(std::string_view path) {
  return percent_encoded(path, [](char c) { return !is_plain(c); });
}

}  // namespace cnsched::cli
