#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/sim/autoscaler.h"
#include "core/sim/placement.h"
#include "core/sim/simulation.h"

namespace cnsched::change {

/// What happens to a pod on the known nodes.
struct PodVerdict {
  enum class Kind : unsigned char {
    none,     ///< there is no such pod, or no node is known
    fits,
    evicts,   ///< it fits after the eviction of other pods
    added,    ///< an autoscaler adds a node for it
    unknown,
    nowhere,
    never,    ///< the pod is never created
  };
  Kind kind = Kind::none;
  std::size_t fitting = 0;  ///< nodes
  std::size_t nodes = 0;
  std::string reason{};                 ///< why not, or what is unknown
  std::vector<std::string> products{};  ///< of the accelerators of the nodes that fit, sorted
  /// The number of accelerators that the pod requests.
  std::int64_t accelerators = 0;
  std::uint64_t nodes_hash = 0;  ///< of the names of the nodes that fit
  /// Of the replicas, how many find room; nothing without --replicas.
  std::optional<std::int64_t> placed{};
  std::int64_t replicas = 0;

  friend bool operator==(const PodVerdict&, const PodVerdict&) = default;
  /// Whether the pod may run on a node.
  bool has_node() const {
    return kind == Kind::fits || kind == Kind::evicts || kind == Kind::added;
  }
};

/// "fits 4 of 12 nodes", "fits nowhere: untolerated taint dedicated=training"; not yet printable.
std::string to_string(const PodVerdict& verdict);

/// The verdict on a pod of `autoscalers`' simulation.
PodVerdict verdict_of(const sim::Simulated& pod, sim::Autoscalers& autoscalers,
                      const sim::Placement* placement);

}  // namespace cnsched::change
