// Fuzzes `render` and `simulate` with any bytes as manifests, on their nodes and two fixed ones.
// The output is harmless, and rendered pods parse to the same value.
#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/output/pods.h"
#include "cli/output/simulation.h"
#include "core/k8s/workloads.h"
#include "core/workspace/pod_metadata.h"
#include "core/yaml/scalar.h"
#include "core/yaml/write.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

using cli::SimulationOutcome;

constexpr std::string_view kNodes = R"(apiVersion: v1
kind: Node
metadata:
  name: gpu-1
  labels: {nvidia.com/gpu.product: NVIDIA-L4, topology.kubernetes.io/zone: a}
spec:
  taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
status:
  allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "2"}
---
apiVersion: v1
kind: Node
metadata: {name: cpu-1}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "10"}
)";

std::string written(const std::function<void(std::ostream&)>& write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

void check_pod(const Workspace& workspace, const Workload& workload, const std::string& name,
               std::size_t& values_left) {
  Arena arena;
  if (workload.never_created) {
    return require_harmless(cli::yaml_document({workload}, workspace, false), "no pod");
  }
  const auto object = k8s::pod_object(arena, workload, *workload.object,
                                      {.name = name, .placeholder_images = false}, values_left);
  if (!object) return;
  const cli::ShownPod pod{workload, *object};
  const std::string text = cli::yaml_document(pod, workspace, true);
  require_harmless_yaml(text, "a pod");
  const Documents again(text);
  require(again.all.size() == 1 && again.all.front().problems.empty(), "a pod is not YAML");
  require(yaml::same_value(*again.all.front().root, **object),
          fmt::format("a pod reads as another one: {}\n{}", yaml::to_flow(**object, true), text));
  require_json(cli::json_element(arena, pod, workspace, 2), "a pod as JSON");
}

void render(const Workspace& workspace) {
  std::vector<const Workload*> pods;
  for (const Workload& workload : workspace.scopes().front().workloads()) {
    if (!workload.fragment && workspace.is_linted(workload.object->root->span.file))
      pods.push_back(&workload);
  }
  std::size_t values_left = 20'000;
  const std::vector<std::string> names = pod_names(pods, workspace);
  for (std::size_t i = 0; i < pods.size() && values_left > 0; ++i) {
    check_pod(workspace, *pods[i], names[i], values_left);
  }
}

void simulate(const Workspace& workspace) {
  const sim::Simulation simulation(workspace, {});
  const sim::ModelLoading models(workspace);
  Arena values;
  const auto advice = sim::advise(workspace, simulation, 3, values);
  sim::Autoscalers autoscalers(simulation);
  const auto placements = sim::place_all(simulation, autoscalers);
  std::vector<std::size_t> workloads;
  for (std::size_t i = 0; i < simulation.workloads().size(); ++i) workloads.push_back(i);
  std::vector<std::size_t> shown_models;
  for (std::size_t i = 0; i < models.models().size(); ++i) shown_models.push_back(i);
  const SimulationOutcome outcome{workspace,  simulation, advice,      models,
                                  placements, workloads,  shown_models};
  const auto text = [&](const auto& write) {
    return written([&](std::ostream& out) { write(out); });
  };
  require_harmless(text([&](auto& out) { cli::write_simulation(outcome, 80, false, out); }),
                   "a simulation");
  require_harmless(text([&](auto& out) { cli::write_node(outcome, "gpu-1", 80, false, out); }),
                   "a node");
  require_json(text([&](auto& out) { cli::write_simulation_json(outcome, out); }),
               "a simulation as JSON");
  require_harmless(text([&](auto& out) { cli::write_simulation_html(outcome, out); }),
                   "a simulation as HTML");
  for (const std::size_t i : workloads) {
    require_harmless(text([&](auto& out) { cli::write_explanation(outcome, i, 80, false, out); }),
                     "an explanation");
  }
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched;
  auto files = fuzz::files_of(fuzz::text_of(data, size));
  files.push_back({.path = "nodes.yaml", .bytes = std::string(fuzz::kNodes), .linted = false});
  Workspace workspace;
  workspace.load({.memory_files = std::move(files), .jobs = 1});
  fuzz::render(workspace);
  fuzz::simulate(workspace);
  return 0;
}
