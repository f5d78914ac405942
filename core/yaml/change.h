#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/source/edit.h"
#include "core/yaml/document.h"
#include "core/yaml/repetition.h"

namespace cnsched::yaml {

/// A change of a document that is still to be made. The nodes are of the document, and of its
/// values not of their keys; `value` is any tree that lives longer than this.
struct Change {
  enum class Kind : std::uint8_t { erase, set, rename, add_entry, add_item, move, comment };
  Kind kind = Kind::erase;
  const Node* node = nullptr;   ///< what goes, is set or renamed, or the collection added to
  std::string key;              ///< of `rename` and `add_entry`; of `move`, the way from `value`
  const Node* value = nullptr;  ///< of `set`, `add_entry` and `add_item`; of `move`, where to
  Span where;                   ///< of `comment`: the bytes that `text` takes the place of
  std::string text;

  friend bool operator==(const Change&, const Change&) = default;
};

/// Other text in the place of a part of a comment, or of all of it, blanks before it and the end of
/// its line included. The tree stays as it is.
Change to_change_comment(Span where, std::string_view text);
// What these do is told in edit.h.
Change to_erase(const Node& node);
Change to_set(const Node& node, const Node& value);
Change to_rename(const Node& node, std::string_view key);
Change to_add_entry(const Node& mapping, std::string_view key, const Node& value);
Change to_add_item(const Node& sequence, const Node& value);

/// Takes an entry with its lines and comments to the end of the place that `pointer` (a JSON
/// Pointer from `mapping`) names: mappings that are missing on the way are made, mappings and lists
/// that are there get what they do not have. Fails if it would replace another value there.
Change to_move(const Node& node, const Node& mapping, std::string_view pointer);
/// Whether there is room for it; not in a mapping that thousands of entries fill already.
bool has_room_for(const Node& node, const Node& mapping, std::string_view pointer);

/// Tells of changes whether they can be made; looks at the document only once.
class Changeable {
 public:
  explicit Changeable(const Document& document) : document_(document), repetitions_(document) {}

  /// Why they cannot be made, as far as that shows without making them: nothing is written there,
  /// or an alias repeats it. Much cheaper than `edits_for`.
  std::optional<Error> obstacle_to(std::span<const Change> changes) const;

 private:
  const Document& document_;
  Repetitions repetitions_;
};

/// The edits that make all of the changes at once, and nothing else. Fails as those of edit.h do,
/// and where the changes do not fit together.
Result<std::vector<Edit>> edits_for(const SourceFile& file, const Document& document,
                                    std::span<const Change> changes);

}  // namespace cnsched::yaml
