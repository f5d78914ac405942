#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/change/facts.h"
#include "core/change/totals.h"
#include "core/change/verdict.h"
#include "core/sim/placement.h"
#include "core/sim/simulation.h"
#include "core/workloads/workspace.h"

namespace cnsched::change {

/// One of the two states that are compared. All of it must outlive the difference.
struct Side {
  const Workspace& workspace;
  const sim::Simulation& simulation;  ///< with SimulationOptions::without_nodes
  const sim::Placements* placements = nullptr;  ///< null without --replicas
};

/// A fact with another value, or that only one side has.
struct FactChange {
  std::string_view part;
  std::string name;
  std::optional<std::string> before;
  std::optional<std::string> after;
  Place before_at;
  Place after_at;
};

/// A pod of one side or of both.
struct PodChange {
  enum class Kind : unsigned char { changed, renamed, added, removed };
  Kind kind = Kind::changed;
  const sim::Simulated* before = nullptr;  ///< null: added
  const sim::Simulated* after = nullptr;   ///< null: removed
  /// What the object or the manifests say. Of an added or removed pod all of its facts.
  std::vector<FactChange> facts{};
  /// What changed on the nodes, if only they explain the verdicts.
  std::vector<FactChange> causes{};
  PodVerdict verdict_before{};
  PodVerdict verdict_after{};

  bool has_other_verdict() const { return verdict_before != verdict_after; }
  /// Whether the pod had a node and has certainly none any more, or is new and has none; with
  /// --replicas also whether fewer of its replicas find room than before although no fewer are
  /// wanted.
  bool is_worse() const;
};

struct Difference {
  std::vector<PodChange> pods;  ///< by scope, kind, namespace, name and component
  Totals before;
  Totals after;

  bool is_empty() const { return pods.empty() && before == after; }
  /// Whether any pod is_worse().
  bool is_worse() const;
};

Difference compare(const Side& before, const Side& after);

}  // namespace cnsched::change
