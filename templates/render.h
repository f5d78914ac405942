#pragma once

#include <string>

#include "core/base/result.h"
#include "templates/facts.h"
#include "templates/template.h"

namespace cnsched::templates {

/// The manifests of the template with the placeholders replaced. Entries and items without a value
/// are removed with their comments, and so are parents left empty; all other bytes are the
/// template's. The result is parsed and compared with the expected values, so no parameter can
/// change its structure. Fails if nothing is left of a document.
Result<std::string> render(const Template& model, const Values& values);

}  // namespace cnsched::templates
