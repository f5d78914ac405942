#pragma once

#include <span>
#include <string_view>

namespace cnsched::templates {

/// A file of templates/ that is embedded in the program.
struct Builtin {
  std::string_view path;  ///< "templates/isvc-gpu.yaml"
  std::string_view text;
};

/// Every template, sorted by path.
std::span<const Builtin> builtin_templates();
/// The file of common parameters.
Builtin builtin_parameters();

}  // namespace cnsched::templates
