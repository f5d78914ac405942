#pragma once

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// Reads whatever lies at `where` with yaml-cpp, into `document`: its tree and comments, or its
/// problems. The document has its arena; its bytes have been looked at (bytes.h).
void read_events(const SourceFile& file, Span where, Document& document);

}  // namespace cnsched::yaml
