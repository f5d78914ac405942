#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/change/facts.h"
#include "core/change/node_changes.h"
#include "core/change/totals.h"
#include "core/change/verdict.h"
#include "core/sim/placement.h"
#include "core/sim/simulation.h"
#include "core/workspace/workspace.h"

namespace cnsched::change {

/// One of the two states that are compared. All of it must outlive the difference.
struct Side {
  const Workspace& workspace;
  const sim::Simulation& simulation;            ///< with SimulationOptions::without_nodes
  const sim::Placements* placements = nullptr;  ///< null without --replicas
};

/// A fact with another value, or that only one side has.
struct FactChange {
  Part part = Part::mode;
  std::string name;  ///< "nodeSelector['pool']"; not yet printable
  std::optional<std::string> before;
  std::optional<std::string> after;
  Place before_at{};
  Place after_at{};
};

/// A pod of one side or of both.
struct PodChange {
  enum class Kind : unsigned char { changed, renamed, added, removed };
  Kind kind = Kind::changed;
  const sim::Simulated* before = nullptr;  ///< null: added
  const sim::Simulated* after = nullptr;   ///< null: removed
  std::vector<FactChange> facts{};         ///< of a pod that both sides have
  /// What changed on the nodes that accept the pod on one side only.
  std::vector<FactChange> causes{};
  PodVerdict verdict_before{};
  PodVerdict verdict_after{};
  std::vector<Devices> devices_before{};
  std::vector<Devices> devices_after{};

  bool has_other_verdict() const { return verdict_before != verdict_after; }
  /// Whether the pod had a node and has none any more.
  bool lost_last_node() const;
  /// Whether fewer of its replicas find room, though no fewer are wanted.
  bool lost_replicas() const;
  bool is_worse() const { return lost_last_node() || lost_replicas(); }
};

struct Difference {
  std::vector<PodChange> pods;  ///< by scope, kind, namespace, name and component
  Totals before;
  Totals after;

  bool is_empty() const { return pods.empty() && before == after; }
  bool is_worse() const;
};

/// Mirrors with its arguments. Without any difference for two equal sides.
Difference compare(const Side& before, const Side& after);

/// A pod of one side or of both, by its indices in the simulations.
struct PodPair {
  std::optional<std::size_t> before;
  std::optional<std::size_t> after;
  bool is_renamed = false;
};

/// Matches the pods of two simulations by scope, kind, namespace, name and component, then those
/// that are nearly equal but for their names. Sorted by these. Mirrors with its arguments.
std::vector<PodPair> match_pods(const sim::Simulation& before, const sim::Simulation& after);

}  // namespace cnsched::change
