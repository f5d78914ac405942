#include "rules/engine/policy_example.h"

#include <algorithm>

#include "core/base/text.h"
#include "rules/engine/example.h"
#include "rules/engine/run.h"

namespace cnsched::rules {

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
  for (MatchCriteria* match : {&tried->match, &tried->exclude}) {
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
