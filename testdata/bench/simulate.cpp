// Measures how many pairs of workload and node the simulator filters in a second on one core, in
// comparison with a loop that compares four numbers for every pair. The generated nodes have
// labels, taints and running pods; some of the workloads have a nodeSelector, some required
// affinity, some tolerations, and some fit nowhere. Every verdict and first reason is read.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/simulation.h"
#include "core/workloads/workspace.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPools = 12;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The peak resident memory of the process in MB.
double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::string nodes_text(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pool = i % kPools;
    text += fmt::format(
        "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: node-{0}\n  labels:\n"
        "    kubernetes.io/hostname: node-{0}\n    pool: pool-{1}\n"
        "    topology.kubernetes.io/zone: zone-{2}\n    example.com/memory: \"{3}\"\n",
        i, pool, i % 3, 16 * (pool + 1));
    if (pool % 2 == 0) {
      text += fmt::format(
          "spec:\n  taints:\n  - {{key: nvidia.com/gpu, value: present, effect: NoSchedule}}\n"
          "  - {{key: team, value: team-{}, effect: NoSchedule}}\n",
          pool);
    }
    text += fmt::format(
        "status:\n  allocatable: {{cpu: \"32\", memory: {}Gi, ephemeral-storage: 100Gi, pods: "
        "\"110\", nvidia.com/gpu: \"{}\"}}\n",
        64 + i % 64, pool % 2 == 0 ? 8 : 0);
    text += fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: agent-{0}, namespace: kube-system}}\n"
        "spec:\n  nodeName: node-{0}\n  containers:\n  - name: agent\n    image: agent\n"
        "    resources: {{requests: {{cpu: {1}m, memory: 1Gi}}}}\n",
        i, 500 + 10 * (i % 100));
  }
  return text;
}

std::string workloads_text(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pool = i % (kPools + 2);  // some pools do not exist
    text += fmt::format(
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: model-{0}, namespace: ml}}\n"
        "spec:\n  selector: {{matchLabels: {{app: model-{0}}}}}\n  template:\n"
        "    metadata: {{labels: {{app: model-{0}}}}}\n    spec:\n",
        i);
    if (i % 3 == 0) {
      text += fmt::format("      nodeSelector: {{pool: pool-{}}}\n", pool);
    } else {
      text += fmt::format(
          "      affinity:\n        nodeAffinity:\n"
          "          requiredDuringSchedulingIgnoredDuringExecution:\n"
          "            nodeSelectorTerms:\n            - matchExpressions:\n"
          "              - {{key: pool, operator: In, values: [pool-{}, pool-{}]}}\n"
          "              - {{key: example.com/memory, operator: Gt, values: [\"{}\"]}}\n"
          "          preferredDuringSchedulingIgnoredDuringExecution:\n"
          "          - weight: 10\n            preference:\n              matchExpressions:\n"
          "              - {{key: topology.kubernetes.io/zone, operator: In, values: [zone-1]}}\n",
          pool, (pool + 2) % kPools, 16 * (i % 8));
    }
    text += fmt::format(
        "      tolerations:\n      - {{key: nvidia.com/gpu, operator: Exists}}\n"
        "      - {{key: team, operator: Equal, value: team-{}, effect: NoSchedule}}\n"
        "      containers:\n      - name: server\n        image: server\n        resources:\n"
        "          requests: {{cpu: {}m, memory: {}Gi{}}}\n"
        "          limits: {{memory: {}Gi{}}}\n",
        pool, 1000 + 100 * (i % 200), 8 + i % 100, i % 2 == 0 ? ", nvidia.com/gpu: 1" : "",
        8 + i % 100, i % 2 == 0 ? ", nvidia.com/gpu: 1" : "");
  }
  return text;
}

/// Reads the results for every pair, as a report does.
std::size_t read_all(const cnsched::sim::Simulation& simulation) {
  std::size_t feasible = 0;
  std::size_t letters = 0;
  for (const cnsched::sim::Simulated& simulated : simulation.workloads()) {
    feasible += simulated.diagnosis->feasible().count();
    letters += simulated.diagnosis->event().size();
  }
  return feasible + letters % 2;
}

/// The seconds for four comparisons of every pair.
double reference_seconds(std::size_t workloads, std::size_t nodes) {
  std::vector<std::int64_t> free(4 * nodes);
  for (std::size_t i = 0; i < free.size(); ++i)
    free[i] = static_cast<std::int64_t>(i * 7919 % 1000);
  const Clock::time_point begin = Clock::now();
  std::size_t fits = 0;
  for (std::size_t w = 0; w < workloads; ++w) {
    const auto requested = static_cast<std::int64_t>(w % 1000);
    for (std::size_t n = 0; n < nodes; ++n) {
      bool fit = true;
      for (std::size_t r = 0; r < 4; ++r) fit = fit && requested <= free[4 * n + r];
      fits += fit ? 1 : 0;
    }
  }
  const double seconds = seconds_since(begin);
  if (fits == workloads * nodes + 1) fmt::print("impossible\n");  // keeps the loop
  return seconds;
}

void measure(std::size_t workloads, std::size_t nodes) {
  cnsched::Workspace workspace;
  const Clock::time_point reading = Clock::now();
  workspace.load({.memory_files = {{"pods.yaml", workloads_text(workloads)},
                                   {"nodes.yaml", nodes_text(nodes), false}},
                  .jobs = 1});
  const double read = seconds_since(reading);
  const double before = peak_megabytes();
  const Clock::time_point simulating = Clock::now();
  const cnsched::sim::Simulation simulation(workspace, {.extended_resource_toleration = false});
  const std::size_t seen = read_all(simulation);
  const double simulated = seconds_since(simulating);
  const double pairs = static_cast<double>(workloads) * static_cast<double>(nodes);
  fmt::print(
      "{:>5} workloads x {:>5} nodes: read in {:.2f} s; simulated in {:.3f} s, {:.1f} M pairs/s, "
      "{:.1f} times the reference's time; {:.0f} MB, {:.0f} MB of them for the simulation ({} "
      "fit)\n",
      workloads, nodes, read, simulated, pairs / simulated / 1e6,
      simulated / reference_seconds(workloads, nodes), peak_megabytes(), peak_megabytes() - before,
      seen);
}

}  // namespace

int main() {
  measure(100, 500);
  measure(1000, 5000);
}
