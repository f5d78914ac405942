#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace cnsched::templates {

/// A stretch of a string: literal text, or the name of the parameter that takes its place.
struct Piece {
  std::string text;
  bool is_parameter = false;
};

/// The string cut at its placeholders, `${{ name }}`; `$${{` is a literal `${{`. A string without
/// either is one literal piece, the empty one none. Fails for a placeholder that is not closed, or
/// names nothing.
Result<std::vector<Piece>> pieces_of(std::string_view text);

/// Whether there is something to replace.
bool has_placeholders(std::string_view text);

}  // namespace cnsched::templates
