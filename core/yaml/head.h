#pragma once

#include <cstdint>
#include <vector>

#include "core/source/source_file.h"

namespace cnsched::yaml {

/// What stands above the first content of a file.
struct Head {
  std::vector<Span> comments;
  std::uint32_t end = 0;
};

/// Found without a parser, so that a file that is no YAML has one too.
Head head_of(const SourceFile& file);

}  // namespace cnsched::yaml
