#include "rules/engine/example.h"

#include <algorithm>

#include "core/base/text.h"
#include "rules/engine/run.h"

namespace cnsched::rules {

std::string example_manifest(std::string_view example) {
  if (example.find("apiVersion:") != std::string_view::npos) {
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

std::vector<Diagnostic> lint_example(const Rule& rule, std::string_view example,
                                     Workspace& workspace) {
  workspace.load({.memory_files = {{"example.yaml", example_manifest(example)}}});
  std::vector<Diagnostic> findings = run(workspace, Selection::everything());
  std::erase_if(findings, [&](const Diagnostic& d) { return d.rule != rule.id; });
  return findings;
}

}  // namespace cnsched::rules
