#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "core/base/result.h"
#include "core/yaml/document.h"

namespace cnsched::yaml {

/// What a node of the document is called in messages: "'/spec/predictor'".
std::string name_in(const Document& document, const Node& node);

/// What becomes of a node: it goes, or more is added to it.
enum class Effect : std::uint8_t { away, more };

/// What aliases and `<<` of a document repeat. Looks at the document once, for any number of
/// questions.
class Repetitions {
 public:
  explicit Repetitions(const Document& document);

  /// Why the node cannot be edited for itself, if it cannot: it is not of the document, or the
  /// change would show in a second place, for an alias or `<<` repeats it, what it is in, or what
  /// goes with it.
  std::optional<Error> obstacle(const Node& node, Effect effect) const;

 private:
  bool is_repeated(const Node& node) const;

  const Document& document_;
  std::unordered_set<const Node*> targets_;
  std::unordered_set<const Node*> needed_outside_;  ///< what holds a target, and not all its users
};

}  // namespace cnsched::yaml
