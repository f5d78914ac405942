#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/yaml/document.h"

namespace cnsched::yaml {

/// An alias or a mapping with `<<`, and what it repeats.
struct Repetition {
  const Node* user = nullptr;
  const Node* target = nullptr;
};

/// Everything of a document that something repeats.
std::vector<Repetition> repetitions_in(const Document& document);

/// What a node of the document is called in messages: "'/spec/predictor'".
std::string name_in(const Document& document, const Node& node);

/// What becomes of a node: it goes, or more is added to it.
enum class Effect : std::uint8_t { away, more };

/// Why the node cannot be edited for itself, if it cannot: it is not of the document, or the change
/// would show in a second place, for an alias or `<<` repeats it, what it is in, or what goes with
/// it.
std::optional<Error> obstacle(const Document& document, const std::vector<Repetition>& repetitions,
                              const Node& node, Effect effect);

}  // namespace cnsched::yaml
