#pragma once

#include <vector>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// The comments of a document, given where its scalars lie (sorted): a '#' within one is no
/// comment.
std::vector<Comment> find_comments(const SourceFile& file, Span where,
                                   const std::vector<Span>& scalars);

}  // namespace cnsched::yaml
