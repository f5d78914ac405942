#include "rules/engine/example.h"

#include <algorithm>

#include "core/base/text.h"
#include "rules/engine/run.h"

namespace cnsched::rules {

bool has_objects(std::string_view example) {
  return example.find("apiVersion:") != std::string_view::npos;
}

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

}  // namespace cnsched::rules
