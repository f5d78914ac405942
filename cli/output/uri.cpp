#include "cli/output/uri.h"

#include <fmt/format.h>

namespace cnsched::cli {

namespace {

bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

}  // namespace

std::string uri_path(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    if (stands_for_itself(c)) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

}  // namespace cnsched::cli
