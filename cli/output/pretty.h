#pragma once

#include <cstddef>
#include <string>

#include "core/source/source_file.h"

namespace cnsched::cli {

/// The line of a span as shown, and the position of the span on it.
struct Excerpt {
  std::size_t line = 1;        ///< its number
  std::string text;            ///< printable, tabs as spaces, cut to the width with '…'
  std::size_t caret = 0;       ///< columns before the span
  std::size_t caret_size = 1;  ///< columns of the span on this line, at least one
};

/// The first line of `span`, in at most `width` columns.
Excerpt excerpt_of(const SourceFile& file, Span span, std::size_t width);

}  // namespace cnsched::cli
