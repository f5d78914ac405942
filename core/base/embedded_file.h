#pragma once

#include <string_view>

namespace cnsched {

/// A file of the project that the build embeds in the program (tools/cmake/embed.cmake).
struct EmbeddedFile {
  std::string_view path;  ///< from the root of the project: "templates/isvc-gpu.yaml"
  std::string_view text;

  /// "isvc-gpu"
  constexpr std::string_view stem() const {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.substr(0, name.find('.'));
  }
};

}  // namespace cnsched
