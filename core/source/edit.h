#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/source/source_file.h"

namespace cnsched {

/// One change of a file: other text in the place of the bytes at `where`. Empty text deletes.
struct Edit {
  Span where;
  std::string text;
};

/// `bytes`, the whole file, with all edits made. Several insertions at one place keep their order,
/// and stand in front of what replaces the bytes behind that place. Throws std::logic_error if
/// edits overlap, or lie in different files or behind the end.
std::string apply(std::string_view bytes, std::vector<Edit> edits);

}  // namespace cnsched
