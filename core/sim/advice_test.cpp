#include "core/sim/advice.h"
#include "core/source/source_file.h"
#include "core/yaml/change.h"
#include "testdata/support.h"

namespace cnsched::sim::advice_test {

std::string node(const std::string& name, const std::string& labels, const std::string& taints,
                 const std::string& more) {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {" + labels +
         "}}\nspec: {taints: [" + taints +
         "]}\nstatus: {allocatable: {cpu: \"8\", memory: 32Gi, ephemeral-storage: 100Gi, pods: "
         "\"110\"" +
         more + "}}\n";
}

std::string pod(const std::string& fields, const std::string& resources) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n" + fields +
         "  containers:\n  - name: c\n    image: i\n    resources:\n" + resources;
}

/// The text after the edits of a suggestion.
std::string edited(const Workspace& workspace, const Suggestion& suggestion) {
  std::vector<yaml::Change> changes;
  for (const ProposedFix& fix : suggestion.fixes) {
    changes.insert(changes.end(), fix.changes.begin(), fix.changes.end());
  }
  const yaml::Document& document = *suggestion.fixes.front().document;
  const SourceFile& file = workspace.file_of(document.span);
  const auto edits = yaml::edits_for(file, document, changes);
  REQUIRE(edits);
  return apply(file.bytes(), *edits);
}

/// Advice for one pod on some nodes.
struct Advised {
  Advised(const std::string& manifest, const std::string& nodes)
      : workspace(workspace_of({{"pod.yaml", manifest}, {"nodes.yaml", nodes, false}})),
        simulation(*workspace, {.extended_resource_toleration = false}),
        all(advise(*workspace, simulation, 3, values)) {}

  std::string first() const {
    if (all.empty() || all.begin()->second.suggestions.empty()) return "none";
    return joined(all.begin()->second.suggestions.front().fixes, &ProposedFix::title, " + ");
  }

  std::unique_ptr<Workspace> workspace;
  Simulation simulation;
  Arena values;
  std::map<std::size_t, Advice> all;
};

TEST_CASE("suggests the smallest change first") {
  const std::string gpu = ", nvidia.com/gpu: \"2\"";
  const std::string nodes = node("a", "pool: inference", "", gpu);
  CHECK(Advised(pod("  nodeSelector: {pool: inferance}\n", "      limits: {cpu: 1}\n"), nodes)
            .first() == "set 'pool' in nodeSelector to 'inference'");
  CHECK(Advised(pod("", "      limits: {nvidia.com/gpu: 3}\n"), nodes).first() ==
        "lower 'nvidia.com/gpu' from 3 to 2");
  CHECK(Advised(pod("", "      requests: {memory: 33Gi}\n"), nodes).first() ==
        "lower 'memory' from 33Gi to 32Gi");
  CHECK(Advised(pod("", "      limits: {nvidia.com/gpu: 1}\n"),
                node("a", "", "{key: nvidia.com/gpu, value: x, effect: NoSchedule}", gpu))
            .first() ==
        "tolerate the taint: {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}");
  CHECK(Advised(pod("", "      limits: {nvidia.com/mig-1g.10gb: 1}\n"),
                node("a", "", "", ", nvidia.com/mig-2g.20gb: \"1\""))
            .first() == "request 'nvidia.com/mig-2g.20gb' instead of 'nvidia.com/mig-1g.10gb'");
}

TEST_CASE("suggests two edits if one is not enough, and none if three are needed") {
  const std::string taint = "{key: dedicated, value: ml, effect: NoSchedule}";
  CHECK(Advised(pod("  nodeSelector: {pool: a}\n", "      requests: {cpu: 1}\n"),
                node("n", "pool: b", taint, ""))
            .first() ==
        "tolerate the taint: {key: dedicated, operator: Equal, value: ml, effect: NoSchedule} + "
        "set 'pool' in nodeSelector to 'b'");
  const Advised hopeless(pod("  nodeSelector: {pool: a, zone: c}\n", "      requests: {cpu: 1}\n"),
                         node("n", "pool: b", taint, ""));
  CHECK(hopeless.first() == "none");
  CHECK(hopeless.all.at(0).exclusion ==
        "no change of one or two values makes the pod fit: NodeAffinity and TaintToleration each "
        "reject every node");
}

TEST_CASE("suggests neither to tolerate temporary taints nor to request nothing") {
  CHECK(Advised(pod("", "      requests: {cpu: 1}\n"),
                node("n", "", "{key: node.kubernetes.io/not-ready, effect: NoSchedule}", ""))
            .first() == "none");
  CHECK(Advised(pod("", "      limits: {nvidia.com/gpu: 1}\n"), node("n", "", "", "")).first() ==
        "none");
}

TEST_CASE("removes a term with its last expression") {
  const std::string affinity =
      "  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
      "        nodeSelectorTerms:\n        - matchExpressions:\n"
      "          - {key: absent, operator: Exists}\n";
  const Advised advised(pod(affinity, "      requests: {cpu: 1}\n"), node("n", "", "", ""));
  CHECK(advised.first() == "remove the requirement on 'absent'");
  const std::string text = edited(*advised.workspace, advised.all.at(0).suggestions.front());
  CHECK_FALSE(has(text, "requiredDuring"));
}

/// Applies every `step`th suggestion for the pods of a folder and checks that the pod fits. Returns
/// the number of suggestions.
std::size_t check_suggestions_for(const std::string& folder, std::size_t step) {
  Workspace workspace;
  workspace.load({.files = {folder + "/pods.yaml"}, .cluster_files = {folder + "/nodes.yaml"}});
  const SimulationOptions options{.extended_resource_toleration = true};
  const Simulation simulation(workspace, options);
  Arena values;
  const std::map<std::size_t, Advice> all = advise(workspace, simulation, 3, values);
  std::size_t changes = 0;
  for (const auto& [index, advice] : all) {
    for (const Suggestion& suggestion : advice.suggestions) {
      if (changes++ % step != 0) continue;  // each suggestion reads all files again
      Workspace after;
      after.load_edited(workspace, {{folder + "/pods.yaml", edited(workspace, suggestion)}});
      const Simulation again(after, options);
      const Simulated& simulated = again.workloads()[index];
      CAPTURE(simulated.workload->object->name);
      CHECK(simulated.diagnosis->feasible().contains(suggestion.node));
      CHECK(simulated.diagnosis->feasible().count() == suggestion.fits);
    }
  }
  return changes;
}

TEST_CASE("every suggestion for the pods of testdata/oracle makes the pod fit") {
  CHECK(check_suggestions_for(project_file("testdata/oracle"), 1) > 5);
}

TEST_CASE("every eighth suggestion for the recorded oracle makes the pod fit") {
  const std::string folder = project_file("../shared/oracle/scheduling");
  if (!std::filesystem::exists(folder)) return;
  CHECK(check_suggestions_for(folder, 8) > 100);
}

}  // namespace cnsched::sim::advice_test
