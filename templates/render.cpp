// Edits bytes, so comments and layout stay: first removes nodes without a value, then replaces the
// remaining placeholders. The expected tree is built separately and compared with the parsed
// result; a difference is a bug and throws.
#include "templates/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>

#include "core/base/text.h"
#include "core/yaml/change.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/split.h"
#include "core/yaml/tree.h"
#include "core/yaml/write.h"

namespace cnsched::templates {

namespace {

using yaml::Node;

/// Throws on an error, which no valid template causes.
std::vector<Edit> edits_for(const SourceFile& file, const yaml::Document& document,
                            const std::vector<yaml::Change>& changes) {
  auto edits = yaml::edits_for(file, document, changes);
  if (!edits) throw std::logic_error(edits.error().message);
  return *std::move(edits);
}

/// Replaces placeholders.
class Filler {
 public:
  Filler(const Values& values, Arena& arena) : values_(values), arena_(arena) {}

  /// The scalar with its placeholders replaced; null if one of them has no value.
  const Node* filled(const Node& node) const {
    if (!has_placeholders(node.text())) return &node;
    const auto pieces = *pieces_of(node.text());
    if (pieces.size() == 1 && pieces.front().is_parameter) return value(pieces.front().text);
    std::string text;
    for (const Piece& piece : pieces) {
      const Node* part = piece.is_parameter ? value(piece.text) : nullptr;
      if (piece.is_parameter && part == nullptr) return nullptr;
      text += part == nullptr ? piece.text : text_of(*part);
    }
    return &string_like(arena_, yaml::nowhere(), arena_.copy(text));
  }

 private:
  const Node* value(std::string_view name) const {
    const auto found = values_.find(name);
    const bool none = found == values_.end() || found->second->is_empty();
    return none ? nullptr : found->second;
  }

  const Values& values_;
  Arena& arena_;
};

/// A value of the template with its placeholders replaced.
struct Rendered {
  const Node* value = nullptr;         ///< null: it is removed
  std::vector<const Node*> removed{};  ///< within it
};

class Plan {
 public:
  Plan(const Filler& filler, Arena& arena) : filler_(filler), arena_(arena) {}

  Rendered of(const Node& node) const {
    if (node.is_mapping()) return of_mapping(node);
    if (node.is_sequence()) return of_sequence(node);
    return {node.is_scalar() ? filler_.filled(node) : &node};
  }

 private:
  /// Whether the child stays; otherwise records it as removed.
  static bool keep(const Node& child, Rendered& rendered, Rendered& parent) {
    if (rendered.value == nullptr) {
      parent.removed.push_back(&child);
      return false;
    }
    parent.removed.insert(parent.removed.end(), rendered.removed.begin(), rendered.removed.end());
    return true;
  }

  Rendered of_mapping(const Node& node) const {
    std::vector<yaml::Entry> entries;
    Rendered result;
    for (const yaml::Entry& entry : node.entries()) {
      const Node* key = filler_.filled(*entry.key);
      Rendered value = key == nullptr ? Rendered{} : of(*entry.value);
      if (keep(*entry.value, value, result)) entries.emplace_back(*key, *value.value);
    }
    if (entries.empty() && !node.entries().empty()) return {};
    result.value = &mapping_like(arena_, node, entries);
    return result;
  }

  Rendered of_sequence(const Node& node) const {
    std::vector<const Node*> items;
    Rendered result;
    for (const Node* item : node.items()) {
      Rendered value = of(*item);
      if (keep(*item, value, result)) items.push_back(value.value);
    }
    if (items.empty() && !node.items().empty()) return {};
    result.value = &sequence_like(arena_, node, items);
    return result;
  }

  const Filler& filler_;
  Arena& arena_;
};

/// A document by itself.
struct Text {
  explicit Text(std::string bytes)
      : file(0, "a template", std::move(bytes)), document(yaml::parse(file, file.whole())) {}

  SourceFile file;
  yaml::Document document;
};

/// The text of a document without the removed nodes.
std::string pruned(const Template& model, const yaml::Document& document,
                   const std::vector<const Node*>& removed) {
  std::vector<yaml::Change> changes;
  for (const Node* node : removed) changes.push_back(yaml::to_erase(*node));
  return apply(model.file().text(document.span), edits_for(model.file(), document, changes),
               document.span.begin);
}

bool is_on_one_line(std::string_view text) { return text.find('\n') == std::string_view::npos; }

/// The text with every placeholder replaced.
std::string filled(const Text& text, const Filler& filler) {
  std::vector<Edit> edits;
  std::vector<yaml::Change> changes;
  yaml::walk(*text.document.root, [&](const Node& node) {
    for (const yaml::Entry& entry : node.entries()) {
      if (!has_placeholders(entry.key->text())) continue;
      edits.push_back({entry.key->span, yaml::quoted_for_yaml(filler.filled(*entry.key)->text())});
    }
    if (!node.is_scalar() || !has_placeholders(node.text())) return;
    const Node& value = *filler.filled(node);
    if (value.is_scalar() && is_on_one_line(text.file.text(node.span)) &&
        is_on_one_line(value.text())) {
      edits.push_back({node.span, yaml::scalar_to_yaml(value)});
    } else {
      changes.push_back(yaml::to_set(node, value));
    }
  });
  std::ranges::move(edits_for(text.file, text.document, changes), std::back_inserter(edits));
  return apply(text.file.bytes(), std::move(edits));
}

/// Whether the values choose this document of the template's variants.
bool is_chosen(const Template& model, const yaml::Document& document, const Values& values) {
  const auto& variants = model.variants();
  if (!variants) return true;
  const std::string_view kind = (*document.root)["kind"].text();
  const bool is_variant = std::ranges::any_of(
      variants->kinds, [&](const auto& variant) { return variant.second == kind; });
  const auto value = values.find(variants->parameter);
  if (!is_variant || value == values.end()) return !is_variant;
  const auto chosen = variants->kinds.find(std::string(value->second->text()));
  return chosen != variants->kinds.end() && chosen->second == kind;
}

/// The text of a document without its separator line.
std::string_view without_separator(std::string_view text) {
  if (!text.starts_with("---")) return text;
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
}

/// A key that two entries of one mapping have after their placeholders are replaced.
std::optional<std::string> repeated_key(const Node& root) {
  std::optional<std::string> repeated;
  yaml::walk(root, [&](const Node& node) {
    std::set<std::string> keys;
    for (const yaml::Entry& entry : node.entries()) {
      std::string key = yaml::key_text(*entry.key);
      if (!repeated && !keys.insert(key).second) repeated = std::move(key);
    }
  });
  return repeated;
}

void compare(const std::string& text, const std::vector<const Node*>& expected) {
  const SourceFile file(0, "the rendered template", text);
  const std::vector<Span> spans = yaml::split(file);
  bool same = spans.size() == expected.size();
  for (std::size_t i = 0; same && i < expected.size(); ++i) {
    const yaml::Document document = yaml::parse(file, spans[i]);
    same = document.problems.empty() && same_value(*document.root, *expected[i]);
  }
  if (!same) throw std::logic_error("a rendered template differs from the expected tree:\n" + text);
}

constexpr std::string_view kOpen = "${{";
constexpr std::string_view kClose = "}}";

/// camelCase words, joined by dots.
bool is_name(std::string_view name) {
  const auto is_part_of_name = [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
  };
  return !name.empty() && std::ranges::all_of(name, is_part_of_name);
}

void add_literal(std::vector<Piece>& pieces, std::string_view text) {
  if (text.empty()) return;
  if (pieces.empty() || pieces.back().is_parameter) pieces.push_back({});
  pieces.back().text += text;
}

}  // namespace

Result<std::string> render(const Template& model, const Values& values) {
  std::string text;
  Arena arena;
  const Filler filler(values, arena);
  std::vector<const Node*> expected;
  for (const yaml::Document& document : model.documents()) {
    if (!is_chosen(model, document, values)) continue;
    const Rendered plan = Plan(filler, arena).of(*document.root);
    if (plan.value == nullptr) {
      return Error{fmt::format("nothing is left of the {} in '{}'", (*document.root)["kind"].text(),
                               model.name())};
    }
    if (const auto key = repeated_key(*plan.value)) {
      return Error{fmt::format("two entries of the {} in '{}' would both be '{}'",
                               (*document.root)["kind"].text(), model.name(), printable(*key))};
    }
    const Text rest(pruned(model, document, plan.removed));
    if (!text.empty()) text += "---\n";
    text += without_separator(filled(rest, filler));
    expected.push_back(plan.value);
  }
  compare(text, expected);
  return text;
}

bool has_placeholders(std::string_view text) { return text.find(kOpen) != std::string_view::npos; }

Result<std::vector<Piece>> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (;;) {
    const std::size_t open = text.find(kOpen);
    if (open == std::string_view::npos) break;
    const bool escaped = open > 0 && text[open - 1] == '$';
    add_literal(pieces, text.substr(0, escaped ? open - 1 : open));
    text.remove_prefix(open + kOpen.size());
    if (escaped) {
      add_literal(pieces, kOpen);
      continue;
    }
    const std::size_t close = text.find(kClose);
    if (close == std::string_view::npos) {
      return Error{"'${{' is not closed by '}}'; write '$${{' if it is meant literally"};
    }
    const std::string_view name = trim(text.substr(0, close));
    if (!is_name(name)) {
      return Error{fmt::format("'${{{{{}}}}}' names no parameter: write '${{{{ name }}}}'",
                               printable(text.substr(0, close)))};
    }
    pieces.push_back({std::string(name), true});
    text.remove_prefix(close + kClose.size());
  }
  add_literal(pieces, text);
  return pieces;
}

}  // namespace cnsched::templates
