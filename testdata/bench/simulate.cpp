// Measures how many pairs of workload and node the simulator filters in a second on one core, in
// comparison with a loop that compares four numbers for every pair. The generated nodes have
// labels, taints and running pods; some of the workloads have a nodeSelector, some required
// affinity, some tolerations, and some fit nowhere. Every verdict and first reason is read.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/simulation.h"
#include "core/workspace/load_options.h"
#include "core/workspace/workspace.h"

namespace {

/// The processor time of this process, which other processes hardly change.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<Clock, duration>;

  static time_point now() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return time_point(std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec));
  }
};

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

// What clusters have besides nodes: the cost of each feature, as a ratio to plain pods.

constexpr std::size_t kNodes = 5'000;
constexpr std::size_t kVolumes = 5'000;
constexpr std::size_t kPodsPerNode = 4;
constexpr std::size_t kDevicesPerNode = 2;
constexpr std::size_t kPodsOfFeature = 400;

/// Two priorities, a namespace, a class of volumes and one of devices.
constexpr std::string_view kClasses =
    "---\n{apiVersion: v1, kind: Namespace, metadata: {name: ml, labels: {team: a}}}\n"
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, "
    "value: 1000}\n"
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, "
    "value: 1}\n"
    "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: "
    "kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}\n"
    "---\n{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: "
    "{extendedResourceName: example.com/gpu, selectors: [{cel: {expression: \"device.driver == "
    "'gpu.example.com' && device.attributes['gpu.example.com'].model == 'a'\"}}]}}\n"
    "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, "
    "namespace: ml}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: "
    "gpu}}]}}}}\n";

std::string pod_on(std::size_t node, std::size_t i) {
  return fmt::format(
      "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: run-{0}-{1}, namespace: ml, labels: "
      "{{app: run-{2}}}}}, spec: {{nodeName: node-{0}, priority: 1, containers: [{{name: c, "
      "image: i, resources: {{requests: {{cpu: 4}}}}}}]}}, status: {{phase: Running}}}}\n",
      node, i, (node + i) % 100);
}

std::string slice_of(std::size_t node) {
  std::string devices;
  for (std::size_t i = 0; i < kDevicesPerNode; ++i) {
    devices += fmt::format("{{name: gpu-{}, attributes: {{model: {{string: {}}}}}}}, ", i,
                           node % 2 == 0 ? "a" : "b");
  }
  return fmt::format(
      "---\n{{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: slice-{0}}}, "
      "spec: {{driver: gpu.example.com, nodeName: node-{0}, pool: {{name: node-{0}, generation: 1, "
      "resourceSliceCount: 1}}, devices: [{1}]}}}}\n",
      node, devices);
}

/// Every second volume is bound to a claim.
std::string volume_text(std::size_t i) {
  const std::string claim =
      i % 2 == 0 ? fmt::format("claimRef: {{namespace: ml, name: claim-{}}}, ", i) : "";
  std::string text = fmt::format(
      "---\n{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: pv-{0}}}, spec: {{{1}"
      "capacity: {{storage: {2}Gi}}, accessModes: [ReadWriteOnce], storageClassName: disk, "
      "csi: {{driver: disk.example.com, volumeHandle: v-{0}}}, nodeAffinity: {{required: "
      "{{nodeSelectorTerms: [{{matchExpressions: [{{key: topology.kubernetes.io/zone, operator: "
      "In, values: [zone-{3}]}}]}}]}}}}}}, status: {{phase: {4}}}}}\n",
      i, claim, 10 + i % 50, i % 3, i % 2 == 0 ? "Bound" : "Available");
  if (i % 2 == 0) {
    text += fmt::format(
        "---\n{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: claim-{0}, "
        "namespace: ml, annotations: {{pv.kubernetes.io/bind-completed: 'yes'}}}}, spec: "
        "{{storageClassName: disk, volumeName: pv-{0}, accessModes: "
        "[ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}, status: {{phase: "
        "Bound}}}}\n",
        i);
  }
  return text;
}

std::string cluster_text() {
  std::string text = nodes_text(kNodes) + std::string(kClasses);
  for (std::size_t node = 0; node < kNodes; ++node) {
    for (std::size_t i = 0; i + 1 < kPodsPerNode; ++i) text += pod_on(node, i);
    text += slice_of(node);
  }
  for (std::size_t i = 0; i < kVolumes; ++i) text += volume_text(i);
  return text;
}

/// Pods with the spec `with(i)`, which requires nothing else.
template <typename With>
std::string pods_with(With with) {
  std::string text;
  for (std::size_t i = 0; i < kPodsOfFeature; ++i) {
    text += fmt::format(
        "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: new-{0}, namespace: ml, labels: "
        "{{app: new-{0}}}}}, spec: {{tolerations: [{{operator: Exists}}], {1}}}}}\n",
        i, with(i));
  }
  return text;
}

std::string container_with(std::string_view resources) {
  return fmt::format("containers: [{{name: c, image: i, resources: {{{}}}}}]", resources);
}

constexpr std::string_view kOneCpu = "requests: {cpu: 1}";

std::string with_claim(std::string_view claim) {
  return fmt::format("volumes: [{{name: v, persistentVolumeClaim: {{claimName: {}}}}}], {}", claim,
                     container_with(kOneCpu));
}

struct Feature {
  const char* name;
  std::string pods;
};

std::vector<Feature> features() {
  const std::string plain = container_with(kOneCpu);
  const auto term = [](std::size_t i, std::string_view app) {
    return fmt::format(
        "{{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: "
        "topology.kubernetes.io/zone, labelSelector: {{matchLabels: {{app: {}-{}}}}}}}]}}",
        app, i % 100);
  };
  std::string waiting =
      pods_with([](std::size_t i) { return with_claim(fmt::format("new-{}", i)); });
  for (std::size_t i = 0; i < kPodsOfFeature; ++i) {
    waiting += fmt::format(
        "---\n{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: new-{}, namespace: "
        "ml}}, spec: {{storageClassName: disk, accessModes: [ReadWriteOnce], resources: "
        "{{requests: {{storage: {}Gi}}}}}}}}\n",
        i, 10 + i % 60);
  }
  return {
      {"plain pods", pods_with([&](std::size_t) { return plain; })},
      {"topology spread", pods_with([&](std::size_t i) {
         return fmt::format(
             "topologySpreadConstraints: [{{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, "
             "whenUnsatisfiable: DoNotSchedule, labelSelector: {{matchLabels: {{app: "
             "run-{}}}}}}}], {}",
             i % 100, plain);
       })},
      {"pod affinity", pods_with([&](std::size_t i) {
         return fmt::format("affinity: {{podAffinity: {}}}, {}", term(i, "run"), plain);
       })},
      {"pod anti-affinity", pods_with([&](std::size_t i) {
         return fmt::format("affinity: {{podAntiAffinity: {}}}, {}", term(i, "run"), plain);
       })},
      {"host ports", pods_with([](std::size_t i) {
         return fmt::format(
             "containers: [{{name: c, image: i, ports: [{{containerPort: 80, hostPort: {}}}]}}]",
             8000 + i);
       })},
      {"bound volume",
       pods_with([](std::size_t i) { return with_claim(fmt::format("claim-{}", 2 * i)); })},
      {"volume to bind", std::move(waiting)},
      {"device claim", pods_with([&](std::size_t) {
         return "resourceClaims: [{name: g, resourceClaimTemplateName: one}], " + plain;
       })},
      {"extended resource by DRA",
       pods_with([](std::size_t) { return container_with("limits: {example.com/gpu: 1}"); })},
      {"preemption", pods_with([](std::size_t) {
         return "priorityClassName: high, " + container_with("requests: {cpu: 30}");
       })},
  };
}

/// The seconds for the verdicts and events of all pods: the best of several runs.
double seconds_for(const std::string& cluster, const std::string& pods, std::size_t& seen) {
  constexpr int kRuns = 3;
  cnsched::Workspace workspace;
  workspace.load(
      {.memory_files = {{"pods.yaml", pods}, {"cluster.yaml", cluster, false}}, .jobs = 1});
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    const Clock::time_point begin = Clock::now();
    const cnsched::sim::Simulation simulation(workspace, {.extended_resource_toleration = false});
    seen = read_all(simulation);
    const double seconds = seconds_since(begin);
    best = run == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

void measure_features() {
  const std::string cluster = cluster_text();
  std::size_t seen = 0;
  // A pod needs far less than the index.
  const std::string test_pod =
      "{apiVersion: v1, kind: Pod, metadata: {name: one, namespace: ml}, spec: {containers: "
      "[{name: c, image: i}]}}\n";
  const double indexing = seconds_for(cluster, test_pod, seen);
  fmt::print("{} nodes, {} running pods, {} volumes, {} devices: indexed in {:.3f} s\n", kNodes,
             kNodes * kPodsPerNode, kVolumes, kNodes * kDevicesPerNode, indexing);
  double plain = 0;
  for (const Feature& feature : features()) {
    const double seconds = seconds_for(cluster, feature.pods, seen) - indexing;
    if (plain == 0) plain = seconds;
    fmt::print("{:>25}: {:.3f} ms a pod, {:.1f} times a plain pod ({} fit)\n", feature.name,
               1e3 * seconds / kPodsOfFeature, seconds / plain, seen);
  }
}

}  // namespace

int main() {
  measure(100, 500);
  measure(1000, 5000);
  measure_features();
}
