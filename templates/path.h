#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/arena.h"
#include "core/base/result.h"
#include "core/yaml/change.h"

namespace cnsched::templates {

/// One step down a document: to the value of a key, or to an item of a list.
struct PathStep {
  std::string key;
  std::optional<std::size_t> index{};  ///< of an item; the key is then empty
};

/// Leads from the root of a document to a value, which may not exist yet.
using Path = std::vector<PathStep>;

/// The index of an item that is still to be added to a list.
inline constexpr std::size_t kNewItem = SIZE_MAX;

/// The path of a node of a document.
Path path_to(const yaml::Node& node);
/// The path with keys appended.
Path below(Path path, const std::vector<std::string>& keys);
/// The path of an item of the list at `path`.
Path item_of(Path path, std::size_t index);

/// A change of the value at a path. The path is resolved when the changes before it are made.
struct PathChange {
  Path path;
  const yaml::Node* value = nullptr;  ///< null: the value is erased
  Span where;                         ///< the position for an error message
};

/// The change in the document with this root; creates what the path lacks, in `arena`. Empty if
/// there is nothing to erase. Fails if an alias is on the path, or a value has the wrong kind.
Result<std::vector<yaml::Change>> resolved(const PathChange& change, const yaml::Node& root,
                                           Arena& arena);

/// `document`, the text of one, with the change made. Fails where yaml::edits_for does.
Result<std::string> changed(const std::string& document, const PathChange& change);

}  // namespace cnsched::templates
