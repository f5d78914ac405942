#pragma once

#include <vector>

#include "core/source/source_file.h"

namespace cnsched::yaml {

/// The documents of a file: its text cut at lines that begin with `---` and a blank or line end, so
/// that a broken document cannot hide its neighbours. In YAML such a line ends the document before
/// it wherever it stands, block scalars included. Pieces without content (comments only) are left
/// out.
std::vector<Span> split(const SourceFile& file);

}  // namespace cnsched::yaml
