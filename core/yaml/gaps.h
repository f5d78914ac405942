#pragma once

#include <optional>
#include <vector>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// What yaml-cpp reads over between the scalars of a document although Kubernetes' parser does not:
/// a tab where indentation counts, a directive other than `%YAML 1.1` and `%TAG` before a `---`.
/// `scalars` are sorted.
std::optional<Problem> find_bad_gap(const SourceFile& file, Span where,
                                    const std::vector<Span>& scalars);

/// A line that begins with '%' and is no directive, or none that Kubernetes' parser knows.
std::optional<Problem> check_directive(const SourceFile& file, Span line);

}  // namespace cnsched::yaml
