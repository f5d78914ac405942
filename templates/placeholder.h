#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace cnsched::templates {

/// A part of a string: literal text, or the name of a parameter to substitute.
struct Piece {
  std::string text;
  bool is_parameter = false;
};

/// Splits a string at its placeholders, `${{ name }}`; `$${{` is a literal `${{`. A string without
/// either is one literal piece, the empty string none. Fails for a placeholder that is not closed
/// or has no valid name.
Result<std::vector<Piece>> pieces_of(std::string_view text);

/// Whether the text has placeholders or escaped ones.
bool has_placeholders(std::string_view text);

}  // namespace cnsched::templates
