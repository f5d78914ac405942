#include "rules/admission/cel_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::rules {

std::string cel_and(const std::string& a, const std::string& b) {
  if (a == kCelFalse || b == kCelFalse) return std::string(kCelFalse);
  if (a == kCelTrue) return b;
  return b == kCelTrue ? a : fmt::format("({} && {})", a, b);
}

std::string cel_or(const std::string& a, const std::string& b) {
  if (a == kCelTrue || b == kCelTrue) return std::string(kCelTrue);
  if (a == kCelFalse) return b;
  return b == kCelFalse ? a : fmt::format("({} || {})", a, b);
}

std::string cel_not(const std::string& a) {
  if (a == kCelTrue) return std::string(kCelFalse);
  return a == kCelFalse ? std::string(kCelTrue) : fmt::format("!({})", a);
}

std::string cel_string(std::string_view text) {
  constexpr unsigned kFirstPrintable = 0x20;
  constexpr unsigned kDelete = 0x7f;
  std::string literal = "'";
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      literal += "\\uFFFD";
    } else if (byte < kFirstPrintable || byte == kDelete) {
      literal += fmt::format("\\u{:04x}", byte);
    } else {
      if (byte == '\'' || byte == '\\') literal += '\\';
      literal += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return literal + "'";
}

}  // namespace cnsched::rules
