#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cnsched::accelerators {

/// The words of a product name, in capitals: NVIDIA, A100, SXM4, 40GB, MIG, 1G, 5GB.
inline std::vector<std::string> words_of(std::string_view product) {
  std::vector<std::string> words(1);
  for (const char c : product) {
    if (c == '-' || c == '_' || c == '.') {
      words.emplace_back();
    } else {
      words.back() += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return words;
}

}  // namespace cnsched::accelerators
