#pragma once

#include <optional>
#include <vector>

#include "core/yaml/document.h"

namespace cnsched::yaml {

// What is between the scalars of a document. `scalars` are sorted.

/// The first error there that yaml-cpp accepts and Kubernetes' parser rejects: a tab in
/// indentation, or a directive other than `%YAML 1.1` and `%TAG` before a `---`.
std::optional<Problem> find_bad_gap(const SourceFile& file, Span where,
                                    const std::vector<Span>& scalars);

/// Why Kubernetes' parser rejects a line that begins with '%'; nothing if it is a valid directive.
std::optional<Problem> check_directive(const SourceFile& file, Span line);

/// The comments of a document. A '#' within a scalar does not begin one.
std::vector<Comment> find_comments(const SourceFile& file, Span where,
                                   const std::vector<Span>& scalars);

}  // namespace cnsched::yaml
