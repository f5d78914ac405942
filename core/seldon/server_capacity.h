#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/arena.h"
#include "core/k8s/objects.h"
#include "core/k8s/workloads.h"

namespace cnsched::seldon {

/// The tags that the agents of a Server report to Seldon's scheduler.
struct Capabilities {
  Capabilities(std::vector<std::string_view> offered, const yaml::Node& from,
               bool from_seldon = false)
      : tags(std::move(offered)),
        written(&from),
        shipped(from_seldon),
        set_(tags.begin(), tags.end()) {}

  bool contains(std::string_view tag) const { return set_.contains(tag); }

  std::vector<std::string_view> tags;   ///< in the order of the text
  const yaml::Node* written = nullptr;  ///< the node that sets them
  bool shipped = false;                 ///< Seldon's shipped ones, which are in no manifest

 private:
  std::unordered_set<std::string_view> set_;
};

/// The memory of one replica of a Server, as its agent computes it, in bytes.
struct ServerMemory {
  std::int64_t request = 0;    ///< of the model server; the memory that it can use
  std::int64_t percent = 0;    ///< of overcommit
  std::string_view container;  ///< the container with the request; empty for a literal
  /// The request or the literal; missing if it is the shipped one.
  const yaml::Node* written = &yaml::missing_node();
  const yaml::Node* percent_written = &yaml::missing_node();  ///< missing: Seldon's default or none

  /// The memory that Seldon's scheduler assigns: overcommitted, because not all Models are used at
  /// once.
  std::int64_t available() const;
};

/// The capacity of a Server for Models. Each part is empty if it is unknown.
struct ServerCapacity {
  std::optional<Capabilities> capabilities;
  std::optional<ServerMemory> memory;
  std::optional<std::int64_t> replicas;
};

/// The capacity of a Server with that effective pod. Agents read only their variables, and the last
/// of repeated ones. The capacity of a pod without them is unknown: the ServerConfig is incomplete.
/// Source: seldon-core v2 scheduler/cmd/agent/cli, scheduler/pkg/agent.
ServerCapacity capacity_of(const k8s::Object& server, const k8s::PodTemplate& pod,
                           const k8s::Objects& objects);

/// The initial number of pods of a Server.
struct Scaling {
  std::int64_t replicas = 1;
  /// The operator's error for invalid numbers; empty if they are valid.
  std::string error;
};

/// Of `replicas`, `minReplicas` and `maxReplicas` in a Server's spec [S36]. Source: seldon-core v2
/// operator/internal/utils.go, GetValidatedScalingSpec.
Scaling server_scaling(const yaml::Node& spec);

/// `containers` with SELDON_SERVER_CAPABILITIES as set by a Server's spec. `capabilities` replaces
/// each occurrence of the variable in every container; without it, `extraCapabilities` is appended.
/// Nothing changes if no container has the variable [S28, S29, S30, S31]. Source: seldon-core v2
/// operator/controllers/reconcilers/server/server_reconciler.go, updateCapabilities.
const yaml::Node& with_capabilities(Arena& arena, const yaml::Node& containers,
                                    const yaml::Node& server_spec);

}  // namespace cnsched::seldon
