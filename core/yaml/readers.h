#pragma once

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// Reads the text at `where` with yaml-cpp into `document`: its tree and comments, or its problems.
/// The document must have its arena, and its bytes must be checked (bytes.h).
void read_events(const SourceFile& file, Span where, Document& document);

/// Reads the plain YAML and JSON of nearly all files into `document`: block mappings and lists,
/// plain, quoted and block scalars, and simple flow collections. The result is that of
/// `read_events`, spans included (a test and a fuzz harness compare the two), in a twentieth of the
/// time. Returns false for any other text and leaves the document unchanged.
bool read_quickly(const SourceFile& file, Span where, Document& document);

}  // namespace cnsched::yaml
