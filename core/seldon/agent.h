#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/yaml/node.h"

namespace cnsched::seldon {

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

}  // namespace cnsched::seldon
