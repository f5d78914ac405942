#pragma once

#include "core/source/source_file.h"

namespace cnsched {

/// Whether all of `inner` lies in `outer`.
inline bool contains(Span outer, Span inner) {
  return outer.file == inner.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

/// Whether the offset is in the span or at its end, where an editor's cursor stands behind the last
/// character.
inline bool touches(Span span, std::uint32_t offset) {
  return span.begin <= offset && offset <= span.end;
}

}  // namespace cnsched
