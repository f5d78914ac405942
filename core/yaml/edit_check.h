#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/yaml/intent.h"
#include "core/yaml/layout.h"

namespace cnsched::yaml {

/// A document that is edited, and how it is written.
struct Edited {
  Edited(const SourceFile& its_file, const Document& its_document)
      : file(its_file), document(its_document), layout(its_file, its_document) {}

  const SourceFile& file;
  const Document& document;
  Layout layout;
};

/// Ways to make a change, the best first.
using Ways = std::vector<std::vector<Edit>>;

/// The first of `ways` that does what is intended.
Result<std::vector<Edit>> choose(const Edited& edited, const Ways& ways, const Intent& intent);

/// Why the node cannot be edited for itself, if it cannot: it is missing, made, or the change would
/// show in a second place, where an alias or `<<` repeats it, something in it, or what it is in.
std::optional<Error> obstacle(const Edited& edited, const Node& node);

/// The edit that puts `text` in the place of a range.
Edit replace(const Edited& edited, Range range, std::string text);
Edit insert(const Edited& edited, std::size_t at, std::string text);

}  // namespace cnsched::yaml
