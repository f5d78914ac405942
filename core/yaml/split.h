#pragma once

#include <cstddef>
#include <vector>

#include "core/source/source_file.h"

namespace cnsched::yaml {

/// The documents of a file: its text cut at lines that begin with `---` and a blank or line end, so
/// that a broken document cannot hide its neighbours. In YAML such a line ends the document before
/// it wherever it stands, block scalars included. Pieces without content (comments only) are left
/// out.
std::vector<Span> split(const SourceFile& file);
/// Those of a part of it.
std::vector<Span> split(const SourceFile& file, Span part);

/// Parts of at least so many bytes, and about as many, whose documents are, one part after the
/// other, those of the file.
std::vector<Span> parts_of(const SourceFile& file, std::size_t bytes);

}  // namespace cnsched::yaml
