#pragma once

#include "core/change/compare.h"
#include "core/sim/placement.h"
#include "core/sim/simulation.h"
#include "core/workspace/load_options.h"
#include "testdata/support.h"

namespace cnsched::test {

/// One side of a comparison: files, and a simulation of their pods.
class LoadedSide {
 public:
  explicit LoadedSide(std::vector<MemoryFile> files, bool with_replicas = false) {
    LoadOptions load;
    load.memory_files = std::move(files);
    workspace_.load(std::move(load));
    simulation_ = std::make_unique<sim::Simulation>(workspace_, sim::SimulationOptions{});
    if (!with_replicas) return;
    sim::Autoscalers autoscalers(*simulation_);
    placements_ = std::make_unique<sim::Placements>(sim::place_all(*simulation_, autoscalers));
  }

  change::Side side() const { return {workspace_, *simulation_, placements_.get()}; }
  const Workspace& workspace() const { return workspace_; }
  const sim::Simulation& simulation() const { return *simulation_; }

 private:
  Workspace workspace_;
  std::unique_ptr<sim::Simulation> simulation_;
  std::unique_ptr<sim::Placements> placements_;
};

/// Two sides and their difference.
struct Compared {
  Compared(std::vector<MemoryFile> old_files, std::vector<MemoryFile> new_files,
           bool with_replicas = false)
      : before(std::move(old_files), with_replicas),
        after(std::move(new_files), with_replicas),
        old_side(before.side()),
        new_side(after.side()),
        difference(change::compare(old_side, new_side)) {}

  LoadedSide before;
  LoadedSide after;
  change::Side old_side;
  change::Side new_side;
  change::Difference difference;
};

}  // namespace cnsched::test
