#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/yaml/intent.h"
#include "core/yaml/layout.h"
#include "core/yaml/repetition.h"

namespace cnsched::yaml {

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

/// Ways to make several changes at once: each in its first way, each in its second, and so on. None
/// if one of them has none.
Ways together(const std::vector<Ways>& of_each);

/// As `obstacle` of repetition.h.
inline std::optional<Error> obstacle(const Edited& edited, const Node& node, Effect effect) {
  return obstacle(edited.document, edited.repetitions, node, effect);
}

/// The edit that puts `text` in the place of a range.
Edit replace(const Edited& edited, Range range, std::string text);
Edit insert(const Edited& edited, std::size_t at, std::string text);

}  // namespace cnsched::yaml
