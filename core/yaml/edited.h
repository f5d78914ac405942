#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/yaml/intent.h"
#include "core/yaml/layout.h"

namespace cnsched::yaml {

/// An alias or a mapping with `<<`, and what it repeats.
struct Repetition {
  const Node* user = nullptr;
  const Node* target = nullptr;
};

/// A document that is edited, and how it is written.
struct Edited {
  Edited(const SourceFile& its_file, const Document& its_document);

  const SourceFile& file;
  const Document& document;
  const Layout layout;
  const std::vector<Repetition> repetitions;
};

/// Ways to make a change, the best first.
using Ways = std::vector<std::vector<Edit>>;

/// The first of `ways` that does what is intended.
Result<std::vector<Edit>> choose(const Edited& edited, const Ways& ways, const Intent& intent);

/// What becomes of a node: it goes, or more is added to it.
enum class Change : std::uint8_t { away, more };

/// Why the node cannot be edited for itself, if it cannot: it is not of the document, or the change
/// would show in a second place, for an alias or `<<` repeats it, what it is in, or what goes with
/// it.
std::optional<Error> obstacle(const Edited& edited, const Node& node, Change change);

/// The edit that puts `text` in the place of a range.
Edit replace(const Edited& edited, Range range, std::string text);
Edit insert(const Edited& edited, std::size_t at, std::string text);

}  // namespace cnsched::yaml
