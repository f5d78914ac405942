#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/source/source_file.h"
#include "core/yaml/node.h"

namespace cnsched::templates {

/// One step down a document: to the value of a key, or to an item of a list.
struct Step {
  std::string key;
  std::optional<std::size_t> index{};  ///< of a list; then there is no key
};

/// The way from the root of a document to a value, which may not be there yet.
using Path = std::vector<Step>;

/// The index of an item that is still to be added to a list.
inline constexpr std::size_t kNewItem = SIZE_MAX;

/// The way to a node that is written in a document.
Path path_to(const yaml::Node& node);
/// The way to what lies below: keys.
Path below(Path path, const std::vector<std::string>& keys);
/// The way to an item of the list.
Path item_of(Path path, std::size_t index);

/// What is to become of a value of a manifest.
struct Change {
  Path path;
  const yaml::Node* value = nullptr;  ///< null: the value is erased
  Span where;                         ///< what to point at if it cannot be done
};

/// `document`, the text of one, with the change made, as an edit of its bytes. What is missing on
/// the way is made as well. Fails where the text cannot be edited safely: an alias repeats it, `<<`
/// merges it.
Result<std::string> changed(const std::string& document, const Change& change);

}  // namespace cnsched::templates
