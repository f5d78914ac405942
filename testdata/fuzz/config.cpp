// Fuzzes `.cnsched.yaml` and baselines. Errors have their places. A valid configuration is used to
// lint a small workspace, and its output of `cnsched config` is a configuration with the same
// output. The input is split at lines "=== NAME": first the configuration, then files in its
// directory that it may extend or name, and "baseline".
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/output/config_page.h"
#include "cli/output/json.h"
#include "cli/output/output.h"
#include "core/base/text.h"
#include "rules/engine/baseline.h"
#include "rules/engine/run.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

constexpr std::string_view kConfig = "config.yaml";
constexpr std::string_view kBaseline = "baseline";

constexpr std::string_view kManifestName = "in.yaml";
constexpr std::string_view kManifest = R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama, namespace: team}
spec:
  predictor:
    tolerations: [{key: nvidia.com/gpu, operator: Exists, value: present}]
    nodeSelector: {gpu: true}
    model:
      modelFormat: {name: huggingface}
      resources: {limits: {nvidia.com/gpu: 1}}
---
apiVersion: v1
kind: Pod
metadata: {name: job, namespace: other}
spec:
  containers: [{name: main, image: x, resources: {limits: {cpu: 1x}}}]
)";

void lint(const rules::Configs& configs, const ScratchDirectory& directory) {
  Workspace workspace;
  workspace.load(
      {.memory_files = {{.path = directory.path(kManifestName), .bytes = std::string(kManifest)}},
       .jobs = 1,
       .config_for = [&](const std::string& path) -> const facts::ClusterConfig* {
         const rules::Config* config = configs.find(path);
         return config == nullptr ? nullptr : &config->cluster;
       }});
  rules::Selection selection = rules::Selection::everything();
  selection.follow(configs);
  const std::vector<Diagnostic> findings = rules::run(workspace, selection).findings;
  std::ostringstream out;
  cli::write_concise({workspace, findings}, false, out);
  require_harmless(out.str(), "findings");
}

void check_errors(const std::string& message) {
  for (const std::string_view line : split(message, '\n')) {
    require_harmless(line, "an error");
    require(line.find(": ") != std::string_view::npos, "an error has no place");
  }
}

/// The effective configuration as JSON, without the sources. Writes the YAML form to "shown.yaml".
std::string show(const rules::Configs& configs, const Sources& sources,
                 const ScratchDirectory& directory) {
  const std::string manifest = directory.path(kManifestName);
  const cli::EffectiveConfig effective{configs.find(manifest), configs.rules_for(manifest),
                                       sources};
  std::ostringstream out;
  cli::write_config(effective, out);
  require_harmless_yaml(out.str(), "a configuration");
  directory.write("shown.yaml", out.str());
  cli::Json json = cli::json_of(effective);
  std::ostringstream json_out;
  cli::write_document(json, json_out);
  require_json(json_out.str(), "a configuration as JSON");
  return cli::indented(json["config"]);
}

void check_config(const ScratchDirectory& directory) {
  Sources sources;
  const auto configs = rules::Configs::only(directory.path(kConfig), sources);
  if (!configs) return check_errors(configs.error().message);
  lint(*configs, directory);
  const std::string shown = show(*configs, sources, directory);
  Sources other_sources;
  const auto others = rules::Configs::only(directory.path("shown.yaml"), other_sources);
  require(static_cast<bool>(others), "the output is not a configuration");
  require(show(*others, other_sources, directory) == shown, "the output has a different output");
}

void check_baseline(const ScratchDirectory& directory) {
  const auto baseline = rules::Baseline::read(directory.path(kBaseline));
  if (!baseline) return check_errors(baseline.error().message);
  require_json(baseline->text(), "a baseline");
  Workspace workspace;
  workspace.load(
      {.memory_files = {{.path = directory.path(kManifestName), .bytes = std::string(kManifest)}},
       .jobs = 1});
  const rules::Selection selection = rules::Selection::everything();
  std::vector<Diagnostic> findings = rules::run(workspace, selection).findings;
  baseline->hide(workspace, findings);
  const rules::Baseline stale = baseline->stale(workspace, selection, findings);
  const rules::Baseline updated =
      baseline->updated(stale, rules::Baseline::of(workspace, findings));
  require_json(updated.text(), "an updated baseline");
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched::fuzz;
  static const ScratchDirectory kDirectory;
  bool has_baseline = false;
  kDirectory.clear();
  for (const Part& part : parts_of(text_of(data, size), kConfig)) {
    kDirectory.write(part.name, part.text);
    has_baseline = has_baseline || part.name == kBaseline;
  }
  check_config(kDirectory);
  if (has_baseline) check_baseline(kDirectory);
  return 0;
}
