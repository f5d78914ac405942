#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/source/edit.h"
#include "core/yaml/document.h"

namespace cnsched::yaml {

// Changes of a document as edits of its file's bytes, which keep comments, order, indentation and
// line ends. What comes out is parsed again before it is handed out, so an edit does what its name
// says and nothing else. Where that cannot be had (an alias repeats the value, `<<` merges it, the
// text is too strange) they fail. The edits of one call fit together; those of two calls may
// overlap.
//
// A node is one of `document` and not its key. A value is any tree: made (tree.h), or read from
// elsewhere.

/// Removes the entry of a mapping, given its value, or the item of a list, with the comment lines
/// directly above it, which are indented as it is, and the comment behind it. (What stands above
/// the first entry of a document is about the document, and stays.) A mapping or list that loses
/// everything becomes {} or []; the root cannot be removed.
Result<std::vector<Edit>> erase(const SourceFile& file, const Document& document, const Node& node);
/// Removes several. What lies within another one of them goes with it.
Result<std::vector<Edit>> erase_all(const SourceFile& file, const Document& document,
                                    const std::vector<const Node*>& nodes);

/// Gives an entry, an item or the root another value: below its key in block style, or within
/// brackets in flow style. Comments around the value stay, those within it go with it.
Result<std::vector<Edit>> set(const SourceFile& file, const Document& document, const Node& node,
                              const Node& value);

/// Gives an entry, told by its value, another key. Fails if the mapping has that key.
Result<std::vector<Edit>> rename(const SourceFile& file, const Document& document, const Node& node,
                                 std::string_view key);

/// Adds an entry at the end of a mapping, which may be empty or null. Fails if it has the key.
Result<std::vector<Edit>> add_entry(const SourceFile& file, const Document& document,
                                    const Node& mapping, std::string_view key, const Node& value);
/// Adds an item at the end of a list, which may be empty or null.
Result<std::vector<Edit>> add_item(const SourceFile& file, const Document& document,
                                   const Node& sequence, const Node& value);

/// `value`, a mapping or a list with content, as lines in block style, each indented by `indent`
/// and ended by `line_end`.
std::string block_lines(const Node& value, std::size_t indent, std::string_view line_end);

}  // namespace cnsched::yaml
