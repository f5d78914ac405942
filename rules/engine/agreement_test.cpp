// lint knows what render and simulate know: a pod that is never created, or that fits on none of
// the given nodes, has an error. Checked on testdata/, and on the corpus if it is there.
#include "core/base/text.h"
#include "core/sim/simulation.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::agreement_test {

/// Whether render and simulate print no pod for it, and not because its author wants none, or
/// because the object may be a patch.
bool is_never_created(const Workload& workload) {
  return workload.never_created && workload.never_created->by != k8s::NeverCreated::By::author &&
         !workload.never_created->is_doubtful;
}

/// "file: kind name, component: reason" of each pod about which lint is silent.
std::vector<std::string> unreported(std::vector<MemoryFile> files, std::size_t& reported_pods) {
  Workspace workspace;
  workspace.load({.memory_files = std::move(files)});
  const RunResult result = run(workspace, Selection::everything());
  const Reported reported(workspace, result.findings);
  // Knative's flags are reported once, where they are set.
  const bool has_flag_error = std::ranges::any_of(result.findings, [](const Diagnostic& finding) {
    return finding.severity == Severity::error && finding.rule.starts_with("knative-feature");
  });
  std::vector<std::string> silent;
  const auto compare = [&](const Workload& workload, std::string_view reason) {
    const k8s::Object& object = *workload.object;
    if (!workload.scope->is_linted(object) || is_patch(workload, *workload.scope)) return;
    // A reason that several pods share is reported once.
    const bool is_reported =
        std::ranges::any_of(workload.scope->workloads_of(object), [&](const Workload* pod) {
          return pod->why_never_created() == workload.why_never_created() &&
                 reported.has_error(*pod);
        });
    if (is_reported) {
      ++reported_pods;
      return;
    }
    silent.push_back(
        fmt::format("{} {}, {}: {}", object.kind, object.name, workload.component, reason));
  };
  const sim::Simulation simulation(workspace,
                                   {.without_nodes = false, .view = sim::Cluster::View::lasting});
  for (const Workload* workload : all_workloads(workspace)) {
    if (!is_never_created(*workload)) continue;
    const bool is_by_flag =
        workload->never_created->by == k8s::NeverCreated::By::knative_webhook && has_flag_error;
    if (!is_by_flag) compare(*workload, workload->why_never_created());
  }
  for (const sim::Simulated& simulated : simulation.workloads()) {
    const std::string& reason = simulated.pod.not_created.reason;
    if (!reason.empty()) compare(*simulated.workload, reason);
  }
  return silent;
}

/// Compares every manifest below the directory, with the facts of a `cluster.yaml` beside it.
std::size_t compare_all(const std::string& directory) {
  std::size_t pods = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const fs::path path = entry.path();
    const bool is_manifest = path.extension() == ".yaml" || path.extension() == ".yml";
    if (!entry.is_regular_file() || !is_manifest || path.filename() == "cluster.yaml") continue;
    std::vector<MemoryFile> files = {{"in.yaml", read_all(path.string())}};
    const fs::path facts = path.parent_path() / "cluster.yaml";
    if (fs::exists(facts)) {
      files.push_back({"cluster.yaml", read_all(facts.string()), false, true});
    }
    CAPTURE(path.string());
    CHECK(join_words(unreported(std::move(files), pods)) == "");
  }
  return pods;
}

TEST_CASE("every pod of testdata/ that is never created has an error") {
  CHECK(compare_all(project_file("testdata/rules")) > 30);
  CHECK(compare_all(project_file("testdata/pods")) > 0);
}

TEST_CASE("every pod of the corpus that is never created has an error") {
  const std::string corpus = project_file("../shared/corpus");
  if (!fs::is_directory(corpus)) return;
  CHECK(compare_all(corpus) > 30);
}

}  // namespace cnsched::rules::agreement_test
