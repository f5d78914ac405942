#include "core/packages/template_calls.h"

#include <algorithm>

namespace cnsched {

namespace {

/// What each definition includes, by name.
using Uses = std::map<std::string_view, std::set<std::string_view>>;

Uses reversed(const Uses& uses) {
  Uses result;
  for (const auto& [name, used] : uses) {
    for (const std::string_view each : used) result[each].insert(name);
  }
  return result;
}

/// Removes what nothing else uses, again and again.
void remove_unused(Uses& uses) {
  std::map<std::string_view, std::size_t> users;
  for (const auto& [name, used] : uses) {
    for (const std::string_view each : used) ++users[each];
  }
  std::vector<std::string_view> unused;
  for (const auto& [name, used] : uses) {
    if (!users.contains(name)) unused.push_back(name);
  }
  while (!unused.empty()) {
    const auto found = uses.find(unused.back());
    unused.pop_back();
    if (found == uses.end()) continue;
    for (const std::string_view each : found->second) {
      if (--users[each] == 0) unused.push_back(each);
    }
    uses.erase(found);
  }
}

}  // namespace

TemplateCalls::TemplateCalls(std::span<const PackageSource> sources,
                             const MarkedTemplates& templates)
    : templates_(templates) {
  add_lines();
  hide_unmarked();
  hide_recursive();
  // A value that `tpl` renders may include definitions.
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (templates.templates[i].pieces.empty()) hide_named_in(sources[i].bytes);
  }
}

void TemplateCalls::add_lines() {
  names_.resize(templates_.marks.size());
  parts_.resize(templates_.marks.size());
  for (std::size_t i = 0; i < templates_.marks.size(); ++i) {
    const TemplateMark& mark = templates_.marks[i];
    for (const PrintedPart& part : mark.parts) {
      if (part.kind != PrintedPart::Kind::action) continue;
      const TemplatePiece& piece = templates_.templates[mark.source].pieces[part.first];
      // The end of the line may be in another block, which does not always run.
      if (piece.block == mark.block) in_marks_.emplace(mark.source, part.first);
      for (const std::string_view name : included_in(piece.expression)) {
        if (part_with(i, name) != nullptr) hidden_.emplace(name);
        names_[i].push_back(name);
        parts_[i].push_back(&part);
      }
    }
  }
}

const PrintedPart* TemplateCalls::part_with(std::size_t mark, std::string_view definition) const {
  const auto& names = names_[mark];
  const auto found = std::ranges::find(names, definition);
  return found == names.end() ? nullptr
                              : parts_[mark][static_cast<std::size_t>(found - names.begin())];
}

void TemplateCalls::hide_unmarked() {
  for (std::size_t source = 0; source < templates_.templates.size(); ++source) {
    const GoTemplate& read = templates_.templates[source];
    for (std::size_t i = 0; i < read.pieces.size(); ++i) {
      const TemplateExpression& expression = read.pieces[i].expression;
      hide_named_in(expression);
      if (in_marks_.contains({source, i})) continue;
      for (const std::string_view name : included_in(expression)) hidden_.emplace(name);
    }
  }
}

void TemplateCalls::hide_named_in(const TemplateExpression& expression) {
  if (includes_computed_name(expression)) all_hidden_ = true;
  if (expression.kind == TemplateExpression::Kind::string) hide_named_in(expression.text);
  for (const TemplateExpression& argument : expression.arguments) hide_named_in(argument);
}

/// `{{ include "name" . }}`, perhaps with escaped quotes.
void TemplateCalls::hide_named_in(std::string_view text) {
  for (const std::string_view function : {"include ", "template "}) {
    for (std::size_t at = text.find(function); at != std::string_view::npos;
         at = text.find(function, at + 1)) {
      std::string_view name = text.substr(at + function.size());
      name = name.substr(std::min(name.find_first_not_of(" \\"), name.size()));
      if (name.empty() || (name.front() != '"' && name.front() != '`')) continue;
      name.remove_prefix(1);
      hidden_.emplace(name.substr(0, name.find_first_of("\"`\\\n")));
    }
  }
}

/// A line of a definition that includes itself is no sign of the one that calls it first.
void TemplateCalls::hide_recursive() {
  Uses uses;
  for (const GoTemplate& read : templates_.templates) {
    for (const TemplatePiece& piece : read.pieces) {
      const std::size_t definition = read.definition_of(piece.block);
      if (definition == 0) continue;
      for (const std::string_view name : included_in(piece.expression)) {
        uses[read.blocks[definition].name].insert(name);
      }
    }
  }
  remove_unused(uses);
  uses = reversed(uses);
  remove_unused(uses);
  for (const auto& [name, used] : uses) hidden_.emplace(name);
}

}  // namespace cnsched
