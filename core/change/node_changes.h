#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/change/facts.h"
#include "core/sim/simulation.h"
#include "core/workspace/workspace.h"

namespace cnsched::change {

/// A fact of each side; null where the side has none of that name left.
using FactPair = std::pair<const Fact*, const Fact*>;

/// The facts of two sorted lists that differ. Of facts with one name, those that both have are left
/// out, and the others are paired in order.
std::vector<FactPair> differing_facts(const std::vector<Fact>& before,
                                      const std::vector<Fact>& after);

/// Whether all that facts are read from is written alike, so that the facts are equal. Much faster
/// than facts; false also for equal facts in other words.
bool is_written_alike(const sim::Simulated& a, const sim::Simulated& b);

/// A label, taint or resource that differs on nodes which accept a pod on one side only, or nodes
/// that only one side has.
struct NodeChange {
  FactPair facts;
  const facts::NodePool* before =
      nullptr;  ///< the first of these nodes; null: the side does not have it
  const facts::NodePool* after = nullptr;
  std::size_t more = 0;  ///< further nodes with the same change
};

/// Explains verdicts by what changed on nodes.
class NodeChanges {
 public:
  /// The changes that explain why the pods have other verdicts. `is_only_cause`: nothing but the
  /// nodes can explain them. The result views this.
  std::vector<NodeChange> explaining(const sim::Simulated& before, const sim::Simulated& after,
                                     bool is_only_cause);

 private:
  /// The nodes of two clusters by name.
  struct Counterparts {
    std::vector<std::optional<std::size_t>> in_after;  ///< by the index of a node before
    std::vector<std::size_t> only_after;
  };
  /// A node whose verdict differs, by its index on each side.
  struct OtherVerdict {
    std::optional<std::size_t> before;
    std::optional<std::size_t> after;
  };
  const Counterparts& counterparts(const sim::Cluster& before, const sim::Cluster& after);
  std::vector<OtherVerdict> other_verdicts(const sim::Simulated& before,
                                           const sim::Simulated& after);
  const std::vector<Fact>& facts_of(const facts::NodePool& node, const sim::Cluster& cluster);

  std::map<std::pair<const sim::Cluster*, const sim::Cluster*>, Counterparts> counterparts_;
  std::map<const facts::NodePool*, std::vector<Fact>> facts_;
};

/// Where a value comes from.
struct Place {
  enum class Kind : unsigned char {
    none,    ///< no input has it: a controller or the API server sets it
    value,   ///< it is written there
    cause,   ///< it is computed from what is written there
    around,  ///< there is no such value: the nearest list or object that could hold it
  };
  Kind kind = Kind::none;
  Span where{};                 ///< in the workspace of the side
  std::string rendered_from{};  ///< the source of a rendered value, if only that file is known
};

/// The place of a value; null for a value that no input has.
Place place_of(const yaml::Node* node);
/// The place of the list or object that has no such value: where its key is.
Place place_around(const yaml::Node& node);

/// Moves places in rendered files to the sources, as far as these are known.
void move_to_sources(const Workspace& workspace, const std::vector<Place*>& places);

}  // namespace cnsched::change
