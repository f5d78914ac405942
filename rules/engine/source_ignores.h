#pragma once

#include <vector>

#include "rules/engine/ignore.h"

namespace cnsched::rules {

/// A suppression in a source of what an engine renders.
struct SourceIgnore {
  Ignore ignore;
  Span lines;  ///< that it applies to
};

/// The suppressions in a source: a template, a values file, a base or a patch. A template is no
/// YAML, and a patch may be a text in another file, so lines and their indentation are read. A
/// comment at the end of a line applies to that line, another one to the entry below it, and
/// `ignore-file` to the whole file. In a template it may be in a comment of the template:
/// `{{/* cnsched: ignore=… */}}`.
std::vector<SourceIgnore> ignores_in_source(const SourceFile& file);

}  // namespace cnsched::rules
