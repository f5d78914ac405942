#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>

#include "core/base/result.h"
#include "core/yaml/change.h"
#include "core/yaml/document.h"

namespace cnsched::yaml {

/// The name of a node of the document in messages: "'/spec/predictor'".
std::string name_in(const Document& document, const Node& node);

/// Finds changes of a document that cannot be made, without making them: the node is not written
/// in the document, or an alias or `<<` repeats it, so the change would also apply in another
/// place. The constructor reads the document once, for any number of changes; this is much cheaper
/// than `edits_for`.
class EditObstacles {
 public:
  explicit EditObstacles(const Document& document);

  /// Why one of the changes cannot be made, as far as this is known without making it.
  std::optional<Error> find(std::span<const Change> changes) const;

 private:
  /// The change removes the node, or adds to it.
  enum class Effect : std::uint8_t { remove, add };

  std::optional<Error> find(const Change& change) const;
  std::optional<Error> find(const Node& node, Effect effect) const;
  bool is_repeated(const Node& node) const;

  const Document& document_;
  std::unordered_set<const Node*> targets_;  ///< what aliases and `<<` repeat
  /// Nodes that contain a target, but not everything that repeats it.
  std::unordered_set<const Node*> referenced_outside_;
};

}  // namespace cnsched::yaml
