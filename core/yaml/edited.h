#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/yaml/intent.h"
#include "core/yaml/layout.h"
#include "core/yaml/repetition.h"

namespace cnsched::yaml {

/// Who sees to it that edits do what is intended: each change for itself, which parses the document
/// anew each time, or the caller, once for several changes, who gets the best way of each unseen.
enum class Proof : std::uint8_t { each_change, caller };

/// A document that is edited, and how it is written.
struct Edited {
  Edited(const SourceFile& its_file, const Document& its_document,
         Proof whose = Proof::each_change);

  const SourceFile& file;
  const Document& document;
  const Proof proof;
  const Layout layout;
  const Repetitions repetitions;
};

/// Ways to make a change, the best first.
using Ways = std::vector<std::vector<Edit>>;

/// The first of `ways` that does what is intended, or just the first, as `edited.proof` says.
Result<std::vector<Edit>> choose(const Edited& edited, const Ways& ways, const Intent& intent);

/// Ways to make several changes at once: each in its first way, each in its second, and so on. None
/// if one of them has none.
Ways together(const std::vector<Ways>& of_each);

// The changes of edit.h, in a document that is looked at once for all of them.
Result<std::vector<Edit>> erase_all(const Edited& edited, const std::vector<const Node*>& nodes);
Result<std::vector<Edit>> set(const Edited& edited, const Node& node, const Node& value);
Result<std::vector<Edit>> rename(const Edited& edited, const Node& node, std::string_view key);
Result<std::vector<Edit>> add_entry(const Edited& edited, const Node& mapping, std::string_view key,
                                    const Node& value);
Result<std::vector<Edit>> add_item(const Edited& edited, const Node& sequence, const Node& value);

/// The edit that puts `text` in the place of a range.
Edit replace(const Edited& edited, Range range, std::string text);
Edit insert(const Edited& edited, std::size_t at, std::string text);

}  // namespace cnsched::yaml
