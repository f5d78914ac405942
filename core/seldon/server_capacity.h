#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/arena.h"
#include "core/k8s/objects.h"
#include "core/k8s/workloads.h"
#include "core/yaml/node.h"

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
                           const k8s::ObjectIndex& objects);

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

// Seldon's agent runs in the pod of each model server and reports the server's capabilities to
// Seldon's scheduler [S44]. Source: seldon-core v2 scheduler/cmd/agent/cli/{cli,env,normalise}.go.

inline constexpr std::string_view kCapabilitiesVariable = "SELDON_SERVER_CAPABILITIES";
inline constexpr std::string_view kMemoryVariable = "MEMORY_REQUEST";
inline constexpr std::string_view kOvercommitVariable = "SELDON_OVERCOMMIT_PERCENTAGE";
inline constexpr std::string_view kServerTypeVariable = "SELDON_SERVER_TYPE";

/// A setting that the agent reads from a variable, unless its command line has the flag.
struct AgentSetting {
  std::string_view variable;
  std::string_view flag;
  bool whole_number = true;  ///< the agent exits if it cannot parse the number
};

/// The settings that affect which models the server gets.
std::span<const AgentSetting> agent_settings();

/// The agent's container: the one named `agent`, else one with its image, else a missing node.
const yaml::Node& agent_in(const yaml::Node& containers);
/// The same for rclone, which fetches the models.
const yaml::Node& rclone_in(const yaml::Node& containers);

/// The effective entry of the container's env: the last one with that name. A missing node if there
/// is none.
const yaml::Node& variable_of(const yaml::Node& container, std::string_view name);
/// Whether the setting may come from a flag, a ConfigMap or a Secret instead of its variable.
bool may_be_set_elsewhere(const yaml::Node& container, const AgentSetting& setting);

/// Whether the agent supports this type of server.
bool is_server_type(std::string_view type);
/// The tags of a list, split at commas and trimmed as the agent does. An empty tag counts as a tag.
std::vector<std::string_view> tags_in(std::string_view list);

/// A capability that a Server must have to load a Model.
struct RequiredTag {
  enum class From : unsigned char { requirements, model_type, explainer };
  std::string_view tag;              ///< trimmed; an empty tag is also required
  const yaml::Node* node = nullptr;  ///< the field that requires it
  From from = From::requirements;
};

/// The capability that the server of an explainer must have.
inline constexpr std::string_view kExplainerTag = "alibi-explain";

/// All tags that a Model requires: `requirements`, `modelType`, and the tag of explainers,
/// including placeholders [S46]. Source: seldon-core v2
/// operator/apis/mlops/v1alpha1/model_types.go, scheduler/pkg/scheduler/filters/explainer.go.
std::vector<RequiredTag> required_tags(const yaml::Node& model_spec);

/// Whether a Server can have this tag as a capability. Agents split their list at commas.
bool can_be_capability(std::string_view tag);

/// The name of the Server to which the Model is pinned; missing if it is not pinned. An empty name
/// matches no Server.
const yaml::Node& pin_of(const yaml::Node& model_spec);

/// The minimum number of replicas of the Model, and the field that sets it.
struct ReplicasNeeded {
  std::int64_t count = 1;
  const yaml::Node* written = nullptr;
};
/// Nothing if the operator rejects the numbers or one is a placeholder.
std::optional<ReplicasNeeded> replicas_needed(const yaml::Node& model_spec);

}  // namespace cnsched::seldon
