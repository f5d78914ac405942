#include "core/packages/template_calls.h"

#include <algorithm>

namespace cnsched {

namespace {

constexpr std::size_t kMaxIncluded = 200;           ///< definitions in a line
constexpr std::size_t kMaxAllIncluded = 1'000'000;  ///< in all lines

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
  names_.resize(templates_.marks.size());
  parts_.resize(templates_.marks.size());
  for (std::size_t i = 0; i < names_.size(); ++i) add_line(i);
  find_others();
  for (std::size_t i = 0; i < names_.size(); ++i) add_passed(i);
  // A value that `tpl` renders may include definitions.
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (templates.templates[i].pieces.empty()) hide_named_in(sources[i].bytes);
  }
  hide_recursive();
}

void TemplateCalls::add_line(std::size_t mark) {
  const TemplateMark& line = templates_.marks[mark];
  const GoTemplate& read = templates_.templates[line.source];
  for (const PrintedPart& part : line.parts) {
    // The end of the line may be in another block, which does not always run.
    const TemplatePiece& first = read.pieces[part.first];
    const bool is_block = part.kind == PrintedPart::Kind::blocks;
    if ((is_block ? read.blocks[first.block].parent : first.block) != line.block) continue;
    for (std::size_t i = part.first; i < read.pieces.size() && read.pieces[i].end <= part.end;
         ++i) {
      in_marks_.emplace(line.source, i);
      for (const std::string_view name : included_in(read.pieces[i].expression)) {
        add(mark, name, is_block ? nullptr : &part);
      }
    }
  }
}

void TemplateCalls::add(std::size_t mark, std::string_view definition, const PrintedPart* part) {
  // Lines with more are not of charts that people write.
  if (names_[mark].size() >= kMaxIncluded || ++included_ > kMaxAllIncluded) {
    all_hidden_ = true;
    return;
  }
  // The first of two calls in a line is followed by the other one.
  if (std::ranges::find(names_[mark], definition) != names_[mark].end())
    hidden_.emplace(definition);
  names_[mark].push_back(definition);
  parts_[mark].push_back(part);
}

const PrintedPart* TemplateCalls::part_with(std::size_t mark, std::string_view definition) const {
  const auto& names = names_[mark];
  const auto found = std::ranges::find(names, definition);
  return found == names.end() ? nullptr
                              : parts_[mark][static_cast<std::size_t>(found - names.begin())];
}

/// Finds the definitions that are included by what has no mark.
void TemplateCalls::find_others() {
  std::set<std::pair<std::size_t, std::size_t>> marked;
  for (const TemplateMark& mark : templates_.marks) {
    marked.emplace(mark.source, templates_.templates[mark.source].definition_of(mark.block));
  }
  for (std::size_t source = 0; source < templates_.templates.size(); ++source) {
    const GoTemplate& read = templates_.templates[source];
    for (std::size_t i = 0; i < read.pieces.size(); ++i) {
      const TemplateExpression& expression = read.pieces[i].expression;
      hide_named_in(expression);
      if (in_marks_.contains({source, i})) continue;
      const std::size_t definition = read.definition_of(read.pieces[i].block);
      const bool passes = definition != 0 && !marked.contains({source, definition});
      for (const std::string_view name : included_in(expression)) {
        if (passes) {
          passed_[read.blocks[definition].name].insert(name);
        } else {
          hidden_.emplace(name);
        }
      }
    }
  }
}

/// The line also includes what definitions without marks include.
void TemplateCalls::add_passed(std::size_t mark) {
  std::set<std::string_view> seen;
  std::vector<std::string_view> waiting = names_[mark];
  while (!waiting.empty() && !all_hidden_) {
    const auto passed = passed_.find(waiting.back());
    waiting.pop_back();
    if (passed == passed_.end() || !seen.insert(passed->first).second) continue;
    for (const std::string_view name : passed->second) {
      add(mark, name, nullptr);
      waiting.push_back(name);
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
  // What a definition without marks includes has the callers of that one.
  std::vector<std::string_view> waiting(hidden_.begin(), hidden_.end());
  std::set<std::string_view> seen;
  while (!waiting.empty()) {
    const auto passed = passed_.find(waiting.back());
    waiting.pop_back();
    if (passed == passed_.end() || !seen.insert(passed->first).second) continue;
    for (const std::string_view name : passed->second) {
      hidden_.emplace(name);
      waiting.push_back(name);
    }
  }
}

}  // namespace cnsched
