#include "core/yaml/intent.h"

#include <optional>
#include <stdexcept>

#include "core/yaml/compare.h"
#include "core/yaml/embedded.h"
#include "core/yaml/meant.h"
#include "core/yaml/walk.h"

namespace cnsched::yaml {

namespace {

/// The document's text with the edits made; nothing if they do not fit, as may be where the text is
/// too strange to tell what lies where.
std::optional<std::string> edited(const std::vector<Edit>& edits, const SourceFile& file,
                                  const Document& document) {
  std::vector<Edit> moved = edits;
  for (Edit& edit : moved) {
    edit.where.begin -= document.span.begin;
    edit.where.end -= document.span.begin;
  }
  try {
    return apply(document.text(file), std::move(moved));
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
}

/// How many keys are written in vain, for they come again.
std::size_t count_overridden(const Node& root) {
  std::size_t count = 0;
  walk(root, [&](const Node& node) {
    for (const Entry& entry : node.entries()) {
      if (entry.overridden && !entry.merged) ++count;
    }
  });
  return count;
}

}  // namespace

bool achieves(const std::vector<Edit>& edits, const SourceFile& file, const Document& document,
              const Intent& intent) {
  std::vector<Change> changes;
  for (const auto& [node, value] : intent) {
    changes.push_back(value == nullptr ? to_erase(*node) : to_set(*node, *value));
  }
  Arena arena;
  const Node* meant = meant_by(changes, document, arena);
  return meant != nullptr && leads_to(edits, file, document, *meant);
}

bool leads_to(const std::vector<Edit>& edits, const SourceFile& file, const Document& document,
              const Node& meant) {
  const auto text = edited(edits, file, document);
  if (!text) return false;
  const Embedded result(*text);
  return !result.root().is_missing() && same_value(result.root(), meant) &&
         count_overridden(result.root()) <= count_overridden(*document.root);
}

}  // namespace cnsched::yaml
