// lint knows what render and simulate know: a pod that is never created, or that fits on none of
// the given nodes, has an error, and no other pod has one of that kind. Checked on testdata/, and
// on the corpus if it is there.
#include "core/base/text.h"
#include "core/sim/conclusion.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::agreement_test {

/// Whether render and simulate print no pod for it, and not because its author wants none, or
/// because the object may be a patch.
bool is_never_created(const Workload& workload) {
  return workload.is_failure() && !workload.never_created->is_doubtful;
}

/// What simulate concludes on each pod for which nodes are given.
std::map<const Workload*, sim::Conclusion> conclusions(const Workspace& workspace,
                                                       const sim::Simulation& simulation) {
  sim::Autoscalers autoscalers(simulation);
  Arena values;
  const auto advice = sim::advise(workspace, simulation, 3, values);
  std::map<const Workload*, sim::Conclusion> all;
  for (std::size_t i = 0; i < simulation.workloads().size(); ++i) {
    const sim::Simulated& simulated = simulation.workloads()[i];
    const auto outlook = autoscalers.outlook(simulated);
    const auto advised = advice.find(i);
    all[simulated.workload] =
        sim::conclusion_on(simulated, outlook ? &*outlook : nullptr,
                           advised == advice.end() ? nullptr : &advised->second);
  }
  return all;
}

struct Agreed {
  std::size_t never_created = 0;
  std::size_t nowhere = 0;
  std::size_t open = 0;  ///< no given node accepts the pod, but one that is not given may
};

std::string described(const Workload& workload, std::string_view reason) {
  const k8s::Object& object = *workload.object;
  return fmt::format("{} {}, {}: {}", object.kind, object.name, workload.component, reason);
}

/// The pods that fit nowhere, and have no error of the rules about placement; and those that have
/// one, and may fit.
void compare_placement(const Workspace& workspace, const sim::Simulation& lasting,
                       std::vector<Diagnostic> findings, Agreed& agreed,
                       std::vector<std::string>& differences) {
  std::erase_if(findings, [](const Diagnostic& finding) {
    return finding.severity != Severity::error ||
           (finding.rule != "unschedulable" && finding.rule != "volume-in-other-zone" &&
            finding.rule != "queue-never-admits");
  });
  const Reported reported(workspace, findings);
  const auto without_passing = conclusions(workspace, lasting);
  const sim::Simulation now(workspace, {.without_nodes = false, .view = sim::Cluster::View::now});
  for (const auto& [workload, conclusion] : conclusions(workspace, now)) {
    // One that several pods of an object share is reported once.
    const bool has_error =
        std::ranges::any_of(workload->scope->workloads_of(*workload->object),
                            [&](const Workload* pod) { return reported.has_error(*pod); });
    if (conclusion == sim::Conclusion::nowhere) {
      // lint does not use Nodes of linted files alone, which are often examples, and does not
      // report what passes: running pods, cordons and taints of failing nodes.
      const auto found = without_passing.find(workload);
      const bool passes =
          found == without_passing.end() || found->second != sim::Conclusion::nowhere;
      if (has_error) ++agreed.nowhere;
      if (!has_error && !passes) differences.push_back(described(*workload, "lint has no error"));
    } else if (conclusion != sim::Conclusion::never_created) {
      // Of the object itself: others in the workspace may have its name.
      const bool is_wrong = std::ranges::any_of(findings, [&](const Diagnostic& finding) {
        return finding.subject.component == workload->component &&
               workspace.object_around(finding.where) == workload->object;
      });
      if (is_wrong) differences.push_back(described(*workload, sim::name_of(conclusion)));
      if (sim::lacks_node(conclusion)) ++agreed.open;
    }
  }
}

/// The pods on which lint and render or simulate differ.
std::vector<std::string> differences_in(std::vector<MemoryFile> files, Agreed& agreed) {
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
      ++agreed.never_created;
      return;
    }
    silent.push_back(described(workload, reason));
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
  compare_placement(workspace, simulation, result.findings, agreed, silent);
  return silent;
}

/// Compares every manifest of a folder and below it, with the facts of the files beside it.
Agreed compare_all(const std::string& folder) {
  const std::vector<std::string> names = {"cluster.yaml", "nodes.yaml", "pools.yaml"};
  Agreed agreed;
  for (const fs::path path : files_below(folder, kManifests)) {
    std::vector<MemoryFile> files = {{"in.yaml", read_all(path.string())}};
    for (const std::string& name : names) {
      const fs::path facts = path.parent_path() / name;
      if (facts != path && fs::exists(facts)) {
        files.push_back({name, read_all(facts.string()), false, true});
      }
    }
    CAPTURE(path.string());
    CHECK(join_words(differences_in(std::move(files), agreed)) == "");
  }
  return agreed;
}

TEST_CASE("lint has an error for every pod of testdata/ that is never created or fits nowhere") {
  const Agreed rules = compare_all(project_file("testdata/rules"));
  CHECK(rules.never_created > 30);
  CHECK(rules.nowhere > 10);
  CHECK(rules.open > 10);
  CHECK(compare_all(project_file("testdata/pods")).never_created > 0);
  CHECK(compare_all(project_file("testdata/simulate")).nowhere > 0);
  CHECK(compare_all(project_file("testdata/oracle")).open > 3);
}

TEST_CASE("lint has an error for every pod of the corpus that is never created or fits nowhere") {
  const std::string corpus = project_file("../shared/corpus");
  if (!fs::is_directory(corpus)) return;
  const std::string nodes = read_all(project_file("testdata/simulate/nodes.yaml"));
  Agreed agreed;
  for (const auto& repository : fs::directory_iterator(corpus)) {
    if (!repository.is_directory()) continue;
    CAPTURE(repository.path().string());
    std::vector<MemoryFile> files;
    for (const fs::path path : files_below(repository.path().string(), kManifests)) {
      files.push_back({path.filename().string(), read_all(path.string())});
    }
    CHECK(join_words(differences_in(files, agreed)) == "");
    files.push_back({"nodes.yaml", nodes, false, true});
    CHECK(join_words(differences_in(std::move(files), agreed)) == "");
  }
  CHECK(agreed.never_created > 30);
  CHECK(agreed.nowhere > 30);
  CHECK(agreed.open > 20);
}

}  // namespace cnsched::rules::agreement_test
