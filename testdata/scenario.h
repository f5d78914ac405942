#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/placement.h"
#include "core/sim/simulation.h"
#include "testdata/support.h"

namespace cnsched::test {

/// A document of a Node with these labels, both as YAML between braces.
inline std::string node(std::string_view name, std::string_view labels = "",
                        std::string_view spec = "",
                        std::string_view allocatable = "cpu: 4, memory: 8Gi, pods: 10") {
  return fmt::format(
      "---\n{{apiVersion: v1, kind: Node, metadata: {{name: {}, labels: {{{}}}}}, spec: {{{}}}, "
      "status: {{allocatable: {{{}}}}}}}\n",
      name, labels, spec, allocatable);
}

/// A document of a Karpenter NodePool, whose nodes do not exist yet.
inline std::string node_pool(std::string_view name, std::string_view labels = "") {
  return fmt::format(
      "---\n{{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {{name: {}}}, spec: "
      "{{template: "
      "{{metadata: {{labels: {{{}}}}}}}}}}}\n",
      name, labels);
}

/// A document of a Pod that runs on a node.
inline std::string running_pod(std::string_view name, std::string_view on,
                               std::string_view labels = "", std::string_view spec = "",
                               std::string_view ns = "ml", std::string_view metadata = "") {
  return fmt::format(
      "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: {}, labels: "
      "{{{}}}{}{}}}, "
      "spec: {{nodeName: {}, containers: []{}{}}}, status: {{phase: Running}}}}\n",
      name, ns.empty() ? "''" : ns, labels, metadata.empty() ? "" : ", ", metadata, on,
      spec.empty() ? "" : ", ", spec);
}

/// A document of a Pod to schedule.
inline std::string pod(std::string_view spec, std::string_view labels = "",
                       std::string_view ns = "ml") {
  return fmt::format(
      "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: new, namespace: {}, labels: {{{}}}}}, "
      "spec: {{{}}}}}\n",
      ns.empty() ? "''" : ns, labels, spec);
}

/// A document of a Pod with this one container.
inline std::string pod_with(std::string_view container) {
  return pod(fmt::format("containers: [{{name: c, image: i, {}}}]", container));
}

/// A simulation of manifests on a cluster.
class Scenario {
 public:
  Scenario(std::string facts, std::string manifests, sim::SimulationOptions options = {},
           const ClusterConfig* config = nullptr) {
    LoadOptions load{.memory_files = {{"cluster.yaml", std::move(facts), false},
                                      {"pods.yaml", std::move(manifests)}}};
    if (config != nullptr) load.config_for = [config](const std::string&) { return config; };
    workspace_.load(std::move(load));
    simulation_ = std::make_unique<sim::Simulation>(workspace_, options);
    autoscalers_ = std::make_unique<sim::Autoscalers>(*simulation_);
  }

  const Workspace& workspace() const { return workspace_; }
  const sim::Simulation& simulation() const { return *simulation_; }
  const sim::Simulated& workload(std::size_t i = 0) const { return simulation_->workloads().at(i); }
  const sim::Pod& pod(std::size_t i = 0) const { return workload(i).pod; }
  const sim::Cluster& cluster() const { return *workload().cluster; }
  const sim::Diagnosis& diagnosis(std::size_t i = 0) const {
    REQUIRE(workload(i).diagnosis);
    return *workload(i).diagnosis;
  }
  std::string event(std::size_t i = 0) const { return diagnosis(i).event(); }
  /// The replicas of all workloads, placed together.
  std::vector<sim::Placement> placements() const {
    return sim::place_all(*simulation_, *autoscalers_).of_workload;
  }
  /// "ok", or the verdict's reasons, after a question mark if the verdict is unknown.
  std::string on(std::string_view node, std::size_t i = 0) const { return on(node, diagnosis(i)); }
  static std::string on(std::string_view node, const sim::Diagnosis& diagnosis) {
    const std::size_t place = diagnosis.cluster().find_any(node).value();
    if (diagnosis.verdict(place) == sim::Verdict::ok) return "ok";
    const bool is_unknown = diagnosis.verdict(place) == sim::Verdict::unknown;
    return fmt::format("{}{}", is_unknown ? "? " : "", fmt::join(diagnosis.reasons(place), "; "));
  }
  /// The causes on a node, one per line.
  std::string explained(std::string_view node, std::size_t i = 0) const {
    const std::size_t place = cluster().find_any(node).value();
    std::string lines;
    for (const sim::Cause& cause : sim::causes_on(place, pod(i), cluster())) {
      lines += (lines.empty() ? "" : "\n") + cause.text;
    }
    return lines;
  }

 private:
  Workspace workspace_;
  std::unique_ptr<sim::Simulation> simulation_;
  std::unique_ptr<sim::Autoscalers> autoscalers_;
};

}  // namespace cnsched::test
