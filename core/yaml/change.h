#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/source/source_file.h"
#include "core/yaml/document.h"

namespace cnsched::yaml {

// Changes of YAML nodes, and the edits of the file's bytes that make them. The edits keep comments,
// order, indentation and line ends.

/// A change of a document. The nodes are values of the document, not keys; `value` is any tree,
/// parsed or built (tree.h), that outlives the change.
struct Change {
  enum class Kind : std::uint8_t { erase, set, rename, add_entry, add_item, move, comment };
  Kind kind = Kind::erase;
  const Node* node = nullptr;   ///< what is erased, set, renamed or moved, or is added to
  std::string key;              ///< of `rename` and `add_entry`; of `move`, the pointer
  const Node* value = nullptr;  ///< of `set`, `add_entry` and `add_item`; of `move`, the mapping
  Span where;                   ///< of `comment`: the bytes that `text` replaces
  std::string text;
  /// Of `add_entry`: the value of an entry that is erased as well; its comments move along.
  const Node* replaced = nullptr;

  friend bool operator==(const Change&, const Change&) = default;
};

/// Replaces a part of a comment, or all of it, with the blanks before it and its line end. The tree
/// stays the same.
Change to_change_comment(Span where, std::string_view text);
/// Removes an entry, given its value, or an item, with the comment lines directly above it at its
/// indentation and the comment after it. (Comments above the first entry of a document are about
/// the document and stay.) A collection that loses everything becomes {} or []. Fails for the root.
Change to_erase(const Node& node);
/// Replaces the value of an entry, an item or the root: below its key in block style, or within
/// brackets in flow style. Comments around the value stay, those within it are removed.
Change to_set(const Node& node, const Node& value);
/// Replaces the key of an entry, given its value. Fails if the mapping has that key.
Change to_rename(const Node& node, std::string_view key);
/// Adds an entry at the end of a mapping, which may be empty or null. Fails if it has the key.
/// `replaced` is the value of an entry that is erased as well: its comments move to the new one.
Change to_add_entry(const Node& mapping, std::string_view key, const Node& value,
                    const Node* replaced = nullptr);
/// Adds an item at the end of a list, which may be empty or null.
Change to_add_item(const Node& sequence, const Node& value);
/// Moves an entry, with its lines and comments, to `pointer` (a JSON Pointer from `mapping`).
/// Creates missing mappings on the path; merges into mappings and lists that exist. Fails if it
/// would replace another value there.
Change to_move(const Node& node, const Node& mapping, std::string_view pointer);
/// Whether `to_move` replaces no other value. False for a mapping of more than 1000 entries.
bool has_room_for(const Node& node, const Node& mapping, std::string_view pointer);

/// What happens to comments on what is erased or replaced: they go with it, or stay in its place as
/// lines of their own.
enum class Comments : std::uint8_t { go, stay };

/// The edits that make all of the changes at once, and nothing else: the edited text is parsed and
/// compared with the expected tree. Fails where that cannot be achieved: an alias repeats the
/// value, `<<` merges it, the changes contradict each other, or the text is too unusual. The edits
/// of one call do not overlap; those of two calls may.
Result<std::vector<Edit>> edits_for(const SourceFile& file, const Document& document,
                                    std::span<const Change> changes,
                                    Comments comments = Comments::go);

}  // namespace cnsched::yaml
