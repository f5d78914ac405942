#pragma once

#include <cstddef>
#include <string>

#include "core/diag/diagnostic.h"
#include "core/source/source_file.h"

namespace cnsched::cli {

/// Where a span is shown by what can only show one line: all of it, or what lies on its first line.
/// Counted as people do (see Position), at least one column wide.
struct Region {
  std::size_t line = 1;
  std::size_t column = 1;
  std::size_t end_column = 2;  ///< the first one behind it
};

Region region_of(const SourceFile& file, Span span);

/// What is said of a finding, printable: its message, and what helps behind `separator`.
std::string text_of(const Diagnostic& finding, std::string_view separator);

}  // namespace cnsched::cli
