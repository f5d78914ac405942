#include "rules/policy/policy_example.h"

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/yaml/parse.h"
#include "core/yaml/write.h"
#include "rules/engine/example.h"
#include "rules/engine/run.h"

namespace cnsched::rules {

using yaml::Node;

namespace {

/// The example as a file in which every value is where the policy's file has it; empty if that is
/// not possible.
std::string in_place(const PolicyExample& example) {
  if (example.indented.empty()) return {};
  const std::size_t lines_before = example.line - 1;
  if (has_objects(example.text)) {
    return std::string(lines_before, '\n') + example.indented;
  }
  // Fields of a pod get the object around them in the lines before.
  const std::string around = example_around(example.indented.find_first_not_of(" \n"));
  const auto needed = static_cast<std::size_t>(std::ranges::count(around, '\n'));
  if (around.empty() || needed > lines_before) return {};
  return around + std::string(lines_before - needed, '\n') + example.indented;
}

/// Without the parts of `match` that an example cannot meet: it is in no file and no cluster.
std::shared_ptr<Policy> policy_for_examples(const Policy& policy) {
  auto tried = std::make_shared<Policy>(policy);
  for (Match* match : {&tried->match, &tried->exclude}) {
    match->files.reset();
    match->clusters.clear();
  }
  return tried;
}

std::vector<Diagnostic> lint_with(const std::shared_ptr<const Policy>& policy,
                                  const PolicyExample& example, Workspace& workspace) {
  const RuleSet rules({policy});
  std::string placed = in_place(example);
  workspace.load(
      {.memory_files = {placed.empty() ? MemoryFile{example.name, example_manifest(example.text)}
                                       : MemoryFile{policy->path, std::move(placed)}}});
  const Selection selection = *Selection::from({}, rules);
  return run(workspace, selection, rules.policies()).findings;
}

}  // namespace

PolicyExample example_of_mapping(const SourceFile& file, const Node& mapping,
                                 const std::string& name) {
  PolicyExample example{.name = name, .text = yaml::to_yaml(mapping)};
  const std::size_t first = file.line_of(mapping.span.begin);
  const std::string whole(file.text({file.id(), file.line_start(first), mapping.span.end}));
  // In its first line, the key or the dash of the list precedes it.
  const std::size_t before = mapping.span.begin - file.line_start(first);
  const std::string indented = std::string(before, ' ') + whole.substr(before) + "\n";
  // Aliases lead out of it.
  const SourceFile copy(file.id(), file.path(), indented);
  const yaml::Document document = yaml::parse(copy, copy.whole());
  if (document.problems.empty() && yaml::to_yaml(*document.root) == example.text) {
    example.indented = indented;
    example.line = first;
  }
  return example;
}

PolicyExample example_of_text(const SourceFile& file, const Node& text, const std::string& name) {
  PolicyExample example{.name = name, .text = std::string(text.text())};
  const std::size_t first = file.line_of(text.span.begin) + 1;
  std::string indented;
  std::optional<std::size_t> indent;
  std::size_t number = first;
  for (const std::string_view content : split(trim(example.text), '\n')) {
    if (number > file.line_count()) return example;
    const std::string_view line = file.line(number++);
    if (!line.ends_with(content)) return example;
    if (!indent) indent = line.size() - content.size();
    // `---` separates documents only at the start of a line.
    const bool is_block = content.empty() || line == std::string(*indent, ' ').append(content);
    if (!is_block || content.starts_with("---")) return example;
    indented.append(line).append("\n");
  }
  example.indented = std::move(indented);
  example.line = first;
  return example;
}

bool is_for_example(const Policy& policy, const PolicyExample& example) {
  const auto tried = policy_for_examples(policy);
  tried->require.clear();
  // It has no reason to show, and so is undecided wherever the policy applies.
  tried->forbid = {Condition{.kind = Condition::Kind::all}};
  tried->on_unknown = Severity::info;
  Workspace workspace;
  return !lint_with(tried, example, workspace).empty();
}

std::vector<Diagnostic> lint_policy_example(const Policy& policy, const PolicyExample& example,
                                            Workspace& workspace) {
  std::vector<Diagnostic> findings = lint_with(policy_for_examples(policy), example, workspace);
  for (Diagnostic& finding : findings) finding.rule = policy.id;
  return findings;
}

}  // namespace cnsched::rules
