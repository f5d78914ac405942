#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/source/source_file.h"

namespace cnsched {

/// A change of a file: `text` replaces the bytes at `where`. Empty text deletes them.
struct Edit {
  Span where;
  std::string text;
};

/// Applies all edits to `bytes`, which begin at `offset` of the file. Insertions at one position
/// keep their order and precede the replacement of the bytes that follow. Throws
/// std::logic_error if edits overlap, are of different files, or are outside `bytes`.
std::string apply(std::string_view bytes, std::vector<Edit> edits, std::uint32_t offset = 0);

}  // namespace cnsched
