#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "templates/facts.h"
#include "templates/template.h"

namespace cnsched::templates {

/// The manifests of the template with the placeholders replaced. Entries and items without a value
/// are removed with their comments, and so are parents left empty; all other bytes are the
/// template's. The result is parsed and compared with the expected values, so no parameter can
/// change its structure. Fails if nothing is left of a document.
Result<std::string> render(const Template& model, const Values& values);

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
