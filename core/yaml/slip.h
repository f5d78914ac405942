#pragma once

#include <optional>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// The first thing in a document that its author cannot have meant, or nothing if all looks well:
/// then it takes a real parser to say what is wrong.
std::optional<Problem> find_slip(const SourceFile& file, Span where);

}  // namespace cnsched::yaml
