#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/source/source_file.h"

namespace cnsched::yaml {

/// The documents of a file: the text between lines that begin with `---` and a blank or line end.
/// In YAML such a line ends a document anywhere, block scalars included, so a syntax error in one
/// document does not affect its neighbours. Documents without content (comments only) are omitted.
std::vector<Span> split(const SourceFile& file);
/// The documents of a part of a file.
std::vector<Span> split(const SourceFile& file, Span part);

/// Splits the file between documents into parts of at least `bytes` bytes, and not much more.
std::vector<Span> parts_of(const SourceFile& file, std::size_t bytes);

/// What precedes the first content of a file.
struct Head {
  std::vector<Span> comments;
  std::uint32_t end = 0;
};

/// Works without a parser, so also for a file with syntax errors.
Head head_of(const SourceFile& file);

}  // namespace cnsched::yaml
