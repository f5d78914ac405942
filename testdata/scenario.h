#pragma once

#include "core/sim/placement.h"
#include "core/sim/simulation.h"
#include "core/workspace/load_options.h"
#include "testdata/support.h"

namespace cnsched::test {

/// A simulation of manifests on a cluster.
class Scenario {
 public:
  Scenario(std::string facts, std::string manifests, sim::SimulationOptions options = {},
           const facts::ClusterConfig* config = nullptr) {
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
    if (diagnosis.fits(place) == Truth::yes) return "ok";
    const bool is_unknown = diagnosis.fits(place) == Truth::unknown;
    return fmt::format("{}{}", is_unknown ? "? " : "", fmt::join(diagnosis.reasons(place), "; "));
  }
  /// The causes on a node, one per line.
  std::string explained(std::string_view node, std::size_t i = 0) const {
    const std::size_t place = cluster().find_any(node).value();
    return joined(sim::causes_on(place, pod(i), cluster()), &sim::Cause::text, "\n");
  }

 private:
  Workspace workspace_;
  std::unique_ptr<sim::Simulation> simulation_;
  std::unique_ptr<sim::Autoscalers> autoscalers_;
};

}  // namespace cnsched::test
