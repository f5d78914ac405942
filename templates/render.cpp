// Replaces bytes, so that comments and layout survive. Beside the edits it builds the tree that is
// meant by them, reads the result again and compares: an edit that does anything else is a bug of
// ours, and stays in the house.
#include "templates/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/base/text.h"
#include "core/diag/edit.h"
#include "core/yaml/compare.h"
#include "core/yaml/edit.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "core/yaml/tree.h"
#include "templates/placeholder.h"

namespace cnsched::templates {

namespace {

using yaml::Node;

/// What becomes of one value of the template.
struct Outcome {
  const Node* value = nullptr;  ///< null: it vanishes
  std::vector<Edit> edits;      ///< that make the bytes say so
};

void append(std::vector<Edit>& edits, std::vector<Edit> more) {
  std::ranges::move(more, std::back_inserter(edits));
}

/// Errors of the editing functions tell of shapes that no template may have.
std::vector<Edit> sure(Result<std::vector<Edit>> edits) {
  if (!edits) throw std::logic_error(edits.error().message);
  return *std::move(edits);
}

class Renderer {
 public:
  Renderer(const Template& model, const yaml::Document& document, const Values& values,
           Arena& arena)
      : file_(model.file()), document_(document), values_(values), arena_(arena) {}

  Outcome render(const Node& node) {
    if (node.is_scalar()) return render_scalar(node);
    if (node.is_mapping()) return render_mapping(node);
    if (node.is_sequence()) return render_sequence(node);
    return {&node, {}};
  }

 private:
  /// The text with the values in the place of placeholders; nothing if one has none.
  std::optional<std::string> filled(const std::vector<Piece>& pieces) const {
    std::string text;
    for (const Piece& piece : pieces) {
      if (!piece.is_parameter) {
        text += piece.text;
        continue;
      }
      const auto value = values_.find(piece.text);
      if (value == values_.end() || value->second->is_empty()) return std::nullopt;
      text += text_of(*value->second);
    }
    return text;
  }

  /// The value that takes the place of the scalar; null if it has none.
  const Node* value_of_scalar(const Node& node) const {
    const auto pieces = *pieces_of(node.text);
    if (pieces.size() == 1 && pieces.front().is_parameter) {
      const auto value = values_.find(pieces.front().text);
      const bool known = value != values_.end() && !value->second->is_empty();
      return known ? value->second : nullptr;
    }
    const auto text = filled(pieces);
    return text ? &string_like(arena_, yaml::nowhere(), arena_.copy(*text)) : nullptr;
  }

  Outcome render_scalar(const Node& node) {
    if (!has_placeholders(node.text)) return {&node, {}};
    const Node* value = value_of_scalar(node);
    if (value == nullptr) return {};
    return {value, sure(yaml::set(file_, document_, node, *value))};
  }

  Outcome render_mapping(const Node& node) {
    std::vector<yaml::Entry> entries;
    Outcome outcome;
    for (const yaml::Entry& entry : node.entries) {
      Outcome key = render_scalar(*entry.key);
      Outcome value = key.value == nullptr ? Outcome{} : render(*entry.value);
      if (value.value == nullptr) {
        append(outcome.edits, sure(yaml::erase(file_, document_, *entry.value)));
        continue;
      }
      append(outcome.edits, std::move(key.edits));
      append(outcome.edits, std::move(value.edits));
      entries.push_back({key.value, value.value});
    }
    if (entries.empty() && !node.entries.empty()) return {};
    outcome.value = &mapping_like(arena_, node, entries);
    return outcome;
  }

  Outcome render_sequence(const Node& node) {
    std::vector<const Node*> items;
    Outcome outcome;
    for (const Node* item : node.items) {
      Outcome rendered = render(*item);
      if (rendered.value == nullptr) {
        append(outcome.edits, sure(yaml::erase(file_, document_, *item)));
        continue;
      }
      append(outcome.edits, std::move(rendered.edits));
      items.push_back(rendered.value);
    }
    if (items.empty() && !node.items.empty()) return {};
    outcome.value = &sequence_like(arena_, node, items);
    return outcome;
  }

  const SourceFile& file_;
  const yaml::Document& document_;
  const Values& values_;
  Arena& arena_;
};

/// Whether the document leaves, as the template's variants and the values have it.
bool is_chosen(const Template& model, const yaml::Document& document, const Values& values) {
  const auto& variants = model.variants();
  if (!variants) return true;
  const std::string_view kind = (*document.root)["kind"].scalar();
  const bool is_variant = std::ranges::any_of(
      variants->kinds, [&](const auto& variant) { return variant.second == kind; });
  const auto value = values.find(variants->parameter);
  if (!is_variant || value == values.end()) return !is_variant;
  const auto chosen = variants->kinds.find(std::string(value->second->scalar()));
  return chosen != variants->kinds.end() && chosen->second == kind;
}

/// The text of a document without the line that parts it from the one before.
std::string_view without_separator(std::string_view text) {
  if (!text.starts_with("---")) return text;
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
}

void compare(const std::string& text, const std::vector<const Node*>& meant) {
  const SourceFile file(0, "the rendered template", text);
  const std::vector<Span> spans = yaml::split(file);
  bool same = spans.size() == meant.size();
  for (std::size_t i = 0; same && i < meant.size(); ++i) {
    const yaml::Document document = yaml::parse(file, spans[i]);
    same = document.problems.empty() && same_value(*document.root, *meant[i]);
  }
  if (!same) throw std::logic_error("a rendered template does not say what was meant:\n" + text);
}

}  // namespace

Result<std::string> render(const Template& model, const Values& values) {
  std::string text;
  Arena arena;
  std::vector<const Node*> meant;
  for (const yaml::Document& document : model.documents()) {
    if (!is_chosen(model, document, values)) continue;
    Outcome outcome = Renderer(model, document, values, arena).render(*document.root);
    if (outcome.value == nullptr) {
      return Error{fmt::format("nothing is left of the {} in '{}'",
                               (*document.root)["kind"].scalar(), model.name())};
    }
    for (Edit& edit : outcome.edits) {
      edit.where.begin -= document.span.begin;
      edit.where.end -= document.span.begin;
    }
    if (!text.empty()) text += "---\n";
    text += without_separator(
        apply(model.file().text(document.span), std::move(outcome.edits)));
    meant.push_back(outcome.value);
  }
  compare(text, meant);
  return text;
}

}  // namespace cnsched::templates
