#pragma once

#include <string>

#include "core/base/result.h"
#include "templates/facts.h"
#include "templates/template.h"

namespace cnsched::templates {

/// The manifests of the template with the values in the place of the placeholders. Entries and
/// items without a value are gone, with the comments that explain them, and so are parents left
/// empty; all other bytes are the template's. The result has been read again and holds exactly the
/// values that were meant: no parameter can change its shape.
/// Fails if nothing is left of a document.
Result<std::string> render(const Template& model, const Values& values);

}  // namespace cnsched::templates
