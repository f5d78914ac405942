#include "rules/policy/policy_example.h"

#include "rules/engine/example.h"
#include "rules/engine/run.h"

namespace cnsched::rules {

std::vector<Diagnostic> lint_policy_example(const Policy& policy, const PolicyExample& example,
                                            Workspace& workspace) {
  auto tried = std::make_shared<Policy>(policy);
  for (Match* match : {&tried->match, &tried->exclude}) {
    match->files.reset();
    match->clusters.clear();
  }
  const RuleSet rules({tried});
  workspace.load({.memory_files = {{example.name, example_manifest(example.text)}}});
  Selection selection = *Selection::from({}, rules);
  std::vector<Diagnostic> findings = run(workspace, selection, rules.policies()).findings;
  for (Diagnostic& finding : findings) finding.rule = policy.id;
  return findings;
}

}  // namespace cnsched::rules
