// Any bytes as `.cnsched.yaml`, and as a baseline. Mistakes are reported with their places; what is
// understood rules a small run, and what is shown of it is a configuration that shows the same. The
// input is cut at lines "=== NAME": first the configuration, then files beside it that it may
// extend or name, and "baseline".
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
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

namespace fs = std::filesystem;

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

/// A directory of this process; gone when the process ends as it should.
class Workshop {
 public:
  Workshop() {
    std::string name = (fs::temp_directory_path() / "cnsched-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "there is no room for a directory");
    root_ = fs::canonical(name);
    // Configurations are searched for up to the root of a repository.
    fs::create_directory(root_ / ".git");
  }
  ~Workshop() { fs::remove_all(root_); }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  std::string path(std::string_view name) const { return (root_ / name).string(); }
  void clear() const {
    for (const fs::path& path : written_) fs::remove(path);
    written_.clear();
  }
  /// Only names without directories: an input must not write anywhere else.
  void write(const std::string& name, const std::string& text) const {
    if (name.empty() || name.starts_with('.') || name.size() > 100) return;
    if (name.find_first_of(std::string_view("/\0", 2)) != std::string::npos) return;
    std::ofstream(root_ / name, std::ios::binary) << text;
    written_.insert(root_ / name);
  }

 private:
  fs::path root_;
  mutable std::set<fs::path> written_;
};

void lint(const rules::Configs& configs, const Workshop& workshop) {
  Workspace run;
  run.load(
      {.memory_files = {{.path = workshop.path(kManifestName), .bytes = std::string(kManifest)}},
       .jobs = 1,
       .config_for = [&](const std::string& path) -> const ClusterConfig* {
         const rules::Config* config = configs.find(path);
         return config == nullptr ? nullptr : &config->cluster;
       }});
  rules::Selection selection = rules::Selection::everything();
  selection.follow(configs);
  const std::vector<Diagnostic> findings = rules::run(run, selection).findings;
  std::ostringstream out;
  cli::write_concise({run, findings}, false, out);
  require_harmless(out.str(), "findings");
}

void check_errors(const std::string& message) {
  for (const std::string_view line : split(message, '\n')) {
    require_harmless(line, "a mistake");
    require(line.find(": ") != std::string_view::npos, "a mistake has no place");
  }
}

/// What is in force, without where it is from; it becomes "shown.yaml".
std::string show(const rules::Configs& configs, const Sources& sources, const Workshop& workshop) {
  const std::string manifest = workshop.path(kManifestName);
  const cli::InForce in_force{configs.find(manifest), configs.rules_for(manifest), sources};
  std::ostringstream out;
  cli::write_config(in_force, out);
  require_harmless_yaml(out.str(), "a configuration");
  workshop.write("shown.yaml", out.str());
  cli::Json json = cli::json_of(in_force);
  std::ostringstream json_out;
  cli::write_document(json, json_out);
  require_json(json_out.str(), "a configuration as JSON");
  return json["config"].text();
}

void check_config(const Workshop& workshop) {
  Sources sources;
  const auto configs = rules::Configs::only(workshop.path(kConfig), sources);
  if (!configs) return check_errors(configs.error().message);
  lint(*configs, workshop);
  const std::string shown = show(*configs, sources, workshop);
  Sources other_sources;
  const auto others = rules::Configs::only(workshop.path("shown.yaml"), other_sources);
  require(static_cast<bool>(others), "what is shown is not a configuration");
  require(show(*others, other_sources, workshop) == shown, "what is shown shows something else");
}

void check_baseline(const Workshop& workshop) {
  const auto baseline = rules::Baseline::read(workshop.path(kBaseline));
  if (!baseline) return check_errors(baseline.error().message);
  require_json(baseline->text(), "a baseline");
  Workspace run;
  run.load(
      {.memory_files = {{.path = workshop.path(kManifestName), .bytes = std::string(kManifest)}},
       .jobs = 1});
  const rules::Selection selection = rules::Selection::everything();
  std::vector<Diagnostic> findings = rules::run(run, selection).findings;
  baseline->hide(run, findings);
  const rules::Baseline stale = baseline->stale(run, selection, findings);
  const rules::Baseline updated = baseline->updated(stale, rules::Baseline::of(run, findings));
  require_json(updated.text(), "an updated baseline");
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched::fuzz;
  static const Workshop kWorkshop;
  bool has_baseline = false;
  kWorkshop.clear();
  for (const Part& part : parts_of(text_of(data, size), kConfig)) {
    kWorkshop.write(part.name, part.text);
    has_baseline = has_baseline || part.name == kBaseline;
  }
  check_config(kWorkshop);
  if (has_baseline) check_baseline(kWorkshop);
  return 0;
}
