#pragma once

#include <cstddef>
#include <memory>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// Reads one document, which lies at `where` in `file` (see split). Never fails: what cannot be
/// read is a problem of the document. The nodes view the bytes of `file`, which must outlive them;
/// they go into `arena`, or one of their own.
Document parse(const SourceFile& file, Span where, std::shared_ptr<Arena> arena = nullptr);

/// Aliases may not unfold a document to more nodes than this ("billion laughs").
inline constexpr std::size_t kExpansionLimit = 1'000'000;

/// A document may not be nested deeper, aliases unfolded: whoever walks it needs a stack. yaml-cpp
/// reads no deeper either.
inline constexpr std::size_t kDepthLimit = 500;

}  // namespace cnsched::yaml
