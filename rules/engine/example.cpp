#include "rules/engine/example.h"

#include <algorithm>

#include "core/base/text.h"
#include "rules/engine/run.h"

namespace cnsched::rules {

namespace {

/// Whether the example is of whole objects, not of pod fields.
bool has_objects(std::string_view example) {
  return example.find("apiVersion:") != std::string_view::npos;
}

/// What is before the fields of a pod that are indented so far, for the same manifest; empty if
/// they are indented too little.
std::string example_around(std::size_t indent) {
  constexpr std::size_t kLeast = 2;
  if (indent < kLeast) return {};
  return "apiVersion: serving.kserve.io/v1beta1\n"
         "kind: InferenceService\n"
         "metadata: {name: example, annotations: {serving.kserve.io/deploymentMode: "
         "RawDeployment}}\n"
         "spec:\n"
         " predictor:\n" +
         std::string(indent, ' ') + "deploymentStrategy: {type: Recreate}\n";
}

/// A rule's example as a manifest: pod fields become the predictor of an InferenceService, whole
/// objects remain unchanged.
std::string example_manifest(std::string_view example) {
  if (has_objects(example)) {
    return std::string(trim(example)) + "\n";
  }
  std::string manifest =
      "apiVersion: serving.kserve.io/v1beta1\n"
      "kind: InferenceService\n"
      "metadata:\n"
      "  name: example\n"
      "  annotations:\n"
      "    serving.kserve.io/deploymentMode: RawDeployment\n"
      "spec:\n"
      "  predictor:\n"
      "    deploymentStrategy: {type: Recreate}\n";
  for (const std::string_view line : split(trim(example), '\n')) {
    manifest += "    ";
    manifest += line;
    manifest += '\n';
  }
  return manifest;
}

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

std::vector<MemoryFile> example_files(std::string_view example) {
  constexpr std::string_view kFacts = "# --cluster nodes.yaml";
  constexpr std::string_view kNext = "\n---\n";
  example = trim(example);
  const std::size_t end = example.find(kNext);
  if (!example.starts_with(kFacts) || end == std::string_view::npos) {
    return {{"example.yaml", example_manifest(example)}};
  }
  return {{"example.yaml", example_manifest(example.substr(end + kNext.size()))},
          {"nodes.yaml", std::string(example.substr(0, end + 1)), false}};
}

std::vector<Diagnostic> lint_example(const Rule& rule, std::string_view example,
                                     Workspace& workspace) {
  workspace.load({.memory_files = example_files(example)});
  std::vector<Diagnostic> findings = run(workspace, Selection::everything()).findings;
  std::erase_if(findings, [&](const Diagnostic& d) { return d.rule != rule.id; });
  return findings;
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
